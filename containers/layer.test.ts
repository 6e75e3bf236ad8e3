import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { digestOf, type LayerFile, makeLayer } from './layer.ts';

const FILES: readonly LayerFile[] = [
  { path: 'usr/bin/tool', content: Buffer.from('x'), mode: 0o755 },
  { path: 'lib', target: 'usr/lib' },
  { path: 'tmp', directory: true, mode: 0o1777 },
];

async function entriesOf(blob: Uint8Array): Promise<string[]> {
  const reader = extract();
  reader.end(gunzipSync(blob));
  const entries: string[] = [];
  for await (const entry of reader) {
    const { name, type, mode, uid, gid, mtime } = entry.header;
    entries.push(`${type} ${name} ${mode?.toString(8)} ${uid}:${gid} ${mtime?.getTime()}`);
    entry.resume();
  }
  return entries;
}

test('layers: the same files give the same layer in any order', async () => {
  const [one, other] = [await makeLayer(FILES), await makeLayer(FILES.toReversed())];
  assert.equal(one.digest, other.digest);
  assert.equal(one.diffId, digestOf(gunzipSync(one.blob)));
});

test('layers: files belong to root and have no time, and directories come before their content', async () => {
  const { blob } = await makeLayer(FILES);
  assert.deepEqual(await entriesOf(blob), [
    'symlink lib 777 0:0 0',
    'directory tmp 1777 0:0 0',
    'directory usr 755 0:0 0',
    'directory usr/bin 755 0:0 0',
    'file usr/bin/tool 755 0:0 0',
  ]);
});

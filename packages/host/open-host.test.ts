import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Artifact } from './host.ts';
import { testHost } from './testing/test-host.ts';

const place = { path: '/etc/minifleet.conf', mode: 0o640, owner: 'root:wheel' };

const artifactOf = (content: Buffer): Artifact => ({
  name: 'a program',
  sha256: createHash('sha256').update(content).digest('hex'),
  async *open() {
    yield content;
  },
});

test('host queries of one turn share a round trip and return to their callers', async () => {
  const { host, transport } = testHost();
  const [name, absent, failed] = await Promise.all([
    host.query(['/usr/bin/whoami']),
    host.readText('/etc/no-such-file'),
    host.query(['/bin/ls', '/nowhere'], { root: true }),
  ]);
  assert.equal(name.stdout, 'm1\n');
  assert.equal(absent, undefined);
  assert.equal(failed.exitCode, 1);
  assert.match(failed.stderr, /No such file/);
  assert.equal(transport.roundTrips, 1);
});

test('a written file has its mode, owner and a new inode, and its directory is created', async () => {
  const { host } = testHost();
  await host.writeFile({ ...place, path: '/usr/local/bin/tool' }, 'one\n');
  assert.equal(await host.readText('/usr/local/bin/tool'), 'one\n');
  assert.deepEqual(await host.fileInfo('/usr/local/bin/tool'), { kind: 'file', mode: 0o640, uid: 0, gid: 0, size: 4 });
});

test('an edit does not overwrite a concurrent change on a Mac', async () => {
  const { host, mac, root } = testHost();
  await host.writeFile(place, 'one\n');
  const edit = host.editText(place, text => {
    mac.files.write(root, place.path, 'theirs\n', { append: false });
    return `${text}two\n`;
  });
  await assert.rejects(edit, { code: 'HOST_FILE_CHANGED' });
  assert.equal(await host.readText(place.path), 'theirs\n');
});

test('an artifact is sent once, signed, and recognised afterwards', async () => {
  const { host, mac } = testHost();
  const { machO } = await import('@minifleet/world/mac');
  const artifact = artifactOf(machO('version 1'));
  const target = { path: '/usr/local/bin/agent', mode: 0o755, owner: 'root:wheel' };
  assert.equal(await host.holdsArtifact(target.path, artifact), false);
  assert.equal(await host.upload(target, artifact, { sign: true }), 'sent');
  assert.equal(await host.upload(target, artifact, { sign: true }), 'there');
  assert.equal(await host.holdsArtifact(target.path, artifact), true);
  assert.ok(mac.running);
});

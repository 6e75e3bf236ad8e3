import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { zipForTests } from '../testing/zip-for-tests.ts';
import { extractZip, hashZip, readZip } from './module-zip.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'minifleet-zip-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('the hash of a published module zip is the one in the Go checksum database', () => {
  const zip = readFileSync(path.join(import.meta.dirname, 'testdata', 'rsc.io-quote-v1.5.2.zip'));
  assert.equal(hashZip(readZip(zip)), 'h1:w5fcysjrx7yqtD/aO+QwRjYZOKnaM9Uh2b40tElTs3Y=');
});

test('files of a module zip are extracted without its prefix, and programs are executable', async () => {
  const zip = zipForTests({ 'm@v1/bin/go': 'go', 'm@v1/pkg/tool/linux_amd64/asm': 'asm', 'm@v1/src/bin.go': 'source' });
  const folder = path.join(directory, 'whole');
  await extractZip(readZip(zip), 'm@v1/', folder);
  const mode = (file: string) => (statSync(path.join(folder, file)).mode & 0o111) !== 0;
  assert.equal(readFileSync(path.join(folder, 'src/bin.go'), 'utf8'), 'source');
  assert.deepEqual(['bin/go', 'pkg/tool/linux_amd64/asm', 'src/bin.go'].map(mode), [true, true, false]);
});

for (const name of ['m@v1/../../escaped', 'other@v1/file', '/etc/passwd', 'm@v1/..\\escaped', 'm@v1/']) {
  test(`a zip entry outside its module is refused: ${name}`, async () => {
    const entries = readZip(zipForTests({ [name]: 'text' }));
    await assert.rejects(extractZip(entries, 'm@v1/', path.join(directory, 'refused')), /outside its module/);
  });
}

test('a damaged or cut-off zip file is an error, whatever was lost', () => {
  const zip = zipForTests({ 'm@v1/a': 'a'.repeat(1000), 'm@v1/b': 'b' });
  for (const length of [0, 10, zip.length - 30, zip.length - 1]) {
    assert.throws(() => hashZip(readZip(zip.subarray(0, length))), /damaged or incomplete/, `${length} bytes`);
  }
  const wrongOffset = Buffer.from(zip);
  wrongOffset.writeUInt32LE(zip.length - 4, zip.length - 6);
  assert.throws(() => readZip(wrongOffset), /damaged or incomplete/);
});

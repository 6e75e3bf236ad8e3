import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileArtifact } from '../artifact.ts';

const folder = mkdtempSync(join(tmpdir(), 'minifleet-artifact-'));
after(() => rmSync(folder, { recursive: true }));

test('a file artifact has a hash and is read again each time it is opened', async () => {
  const content = Buffer.alloc(300_000, 'content');
  const path = join(folder, 'tart.tar.gz');
  writeFileSync(path, content);
  const artifact = await fileArtifact(path);
  assert.equal(artifact.name, 'tart.tar.gz');
  assert.equal(artifact.sha256, createHash('sha256').update(content).digest('hex'));
  for (let time = 0; time < 2; time++) {
    assert.ok(Buffer.concat(await Array.fromAsync(artifact.open())).equals(content));
  }
});

test('a missing artifact file is an error before anything is sent', async () => {
  await assert.rejects(fileArtifact(join(folder, 'none')), { code: 'ENOENT' });
});

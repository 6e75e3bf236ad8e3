import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readHomebrewInstaller } from './homebrew-installer.ts';

const folder = mkdtempSync(join(tmpdir(), 'minifleet-homebrew-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'install-homebrew.sh');
writeFileSync(file, 'echo install\n');
const sha256 = createHash('sha256').update('echo install\n').digest('hex');

test('a Homebrew installer is part of the image only with the hash that the operator gives', async () => {
  assert.equal(await readHomebrewInstaller({ file: undefined, sha256: undefined }), undefined);
  assert.equal((await readHomebrewInstaller({ file, sha256 }))?.toString(), 'echo install\n');
  await assert.rejects(readHomebrewInstaller({ file, sha256: 'a'.repeat(64) }), {
    message: new RegExp(`the SHA-256 is ${sha256}, but --homebrew-sha256 is a{64}; use the script that you have read`),
  });
});

test('a Homebrew installer without a hash is rejected with the commands that get both', async () => {
  for (const [given, what] of [
    [undefined, 'missing'],
    ['1.2.3', 'not a SHA-256'],
  ] as const)
    await assert.rejects(readHomebrewInstaller({ file, sha256: given }), ({ message }: Error) => {
      assert.match(message, new RegExp(`--homebrew-sha256 is ${what}`));
      assert.match(message, /Homebrew publishes no checksum.*git ls-remote https:\/\/github\.com\/Homebrew\/install/s);
      return true;
    });
});

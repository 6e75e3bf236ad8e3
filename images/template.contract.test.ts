import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPacker, type PackerWithoutPlugin } from './testing/packer-without-plugin.ts';

const here = import.meta.dirname;
let packer: PackerWithoutPlugin;

before(async () => {
  packer = await openPacker();
});
after(() => packer.close());

test('the templates are formatted with packer fmt', async () => {
  for (const file of ['macos.pkr.hcl', 'versions.pkrvars.hcl']) {
    assert.deepEqual(await packer.ask('fmt', '-check', '-diff', join(here, file)), { code: 0, text: '' }, file);
  }
});

test('Packer parses the template unchanged', async () => {
  const { code, text } = await packer.ask('validate', '-syntax-only', join(here, 'macos.pkr.hcl'));
  assert.equal(code, 0, text);
});

test('Packer validates the runner image with its pinned versions', async () => {
  const { code, text } = await packer.on('validate', 'runner', { xcode_versions: '["26.3","26.0.1"]' });
  assert.equal(code, 0, text);
});

test('Packer validates the processor image with a release, and rejects it without', async () => {
  const release = join(packer.folder, 'release.tar.gz');
  writeFileSync(release, '');
  const { code, text } = await packer.on('validate', 'xcresult-processor', { processor_archive: release });
  assert.equal(code, 0, text);
  const without = await packer.on('validate', 'xcresult-processor');
  assert.notEqual(without.code, 0);
  assert.match(without.text, /no release of the processor was given/);
});

test('template: a base image by tag is rejected, and so is a VM name that must not be removed', async () => {
  const tagged = await packer.on('validate', 'runner', { base_image: 'ghcr.io/acme/base:latest' });
  assert.notEqual(tagged.code, 0);
  assert.match(tagged.text, /must have a digest/);
  const foreign = await packer.on('validate', 'runner', { vm_name: 'tuist-runner' });
  assert.notEqual(foreign.code, 0);
  assert.match(foreign.text, /must be\s+minifleet-bake-/);
});

test('template: a missing script makes it invalid', async () => {
  const broken = join(packer.folder, 'images/broken.pkr.hcl');
  writeFileSync(broken, readFileSync(packer.template, 'utf8').replace('guest/xcode.sh', 'guest/no-such.sh'));
  const { code, text } = await packer.on('validate', 'runner', {}, broken);
  assert.notEqual(code, 0);
  assert.match(text, /no-such\.sh/);
});

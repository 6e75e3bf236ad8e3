import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { machineConditions as conditions } from '@minifleet/api/testing/kinds';

const repository = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, repository), 'utf8');
const page = read('docs/vm-image-builder.md');
const scripts = globSync('images/{host,guest}/*.sh', { cwd: repository }).map(read).join('\n');

test('docs/vm-image-builder.md names files that exist', () => {
  const named = [...page.matchAll(/\bimages\/[\w./*-]+/g)].map(([path]) => path.replace(/\.$/, ''));
  assert.ok(named.length > 5);
  for (const path of named) assert.ok(globSync(path, { cwd: repository }).length > 0, path);
  for (const [, link = ''] of page.matchAll(/\]\(([\w./-]+\.md)/g))
    assert.ok(existsSync(new URL(`docs/${link}`, repository)), link);
});

test('docs/vm-image-builder.md explains the script messages that need an operator', () => {
  for (const words of [
    'Timeout waiting for SSH',
    'rejects these credentials',
    'GB are free on',
    'checksum mismatch',
    'the base image has no Xcode',
    'does not respond',
    'macOS has sealed the auto-login password',
  ]) {
    assert.ok(page.includes(words), `the page: ${words}`);
    assert.ok(scripts.includes(words), `the scripts: ${words}`);
  }
});

test('docs/vm-image-builder.md names conditions and reasons that exist', () => {
  for (const [type, reason] of [
    ['BuilderRunnerOnline', 'RunnerNotRegistered'],
    ['BuilderRunnerOnline', 'ForgeUnavailable'],
    ['LocalNetworkGranted', 'RebootIneffective'],
  ] as const) {
    assert.ok(page.includes(`\`${type}\``) && page.includes(`\`${reason}\``), reason);
    assert.ok(reason in conditions[type].reasons, reason);
  }
});

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RUNNER } from '@minifleet/spec-file';

const here = import.meta.dirname;
const template = readFileSync(join(here, 'macos.pkr.hcl'), 'utf8');
const versions = readFileSync(join(here, 'versions.pkrvars.hcl'), 'utf8');
const source = /^source "tart-cli" "macos" \{\n([\s\S]*?)^\}/m.exec(template)?.[1] ?? '';

/** Options of the builder tart-cli, as documented for its plugin 1.21, and of Packer's SSH communicator. */
const KNOWN = [
  ...['vm_base_name', 'vm_name', 'headless', 'cpu_count', 'memory_gb', 'disk_size_gb', 'display', 'run_extra_args'],
  ...['ip_extra_args', 'pull_concurrency', 'recovery_partition', 'create_grace_time', 'allow_insecure', 'rosetta'],
  ...['ssh_username', 'ssh_password', 'ssh_timeout'],
];

test('template: the source has only options that its plugin supports', () => {
  const options = [...source.matchAll(/^ {2}(\w+) +=/gm)].map(match => match[1] ?? '');
  assert.ok(options.length > 5);
  assert.deepEqual(
    options.filter(option => !KNOWN.includes(option)),
    [],
  );
});

test('template: a cold clone has 15 minutes until SSH responds', () => {
  assert.match(source, /^ {2}ssh_timeout += "15m"$/m);
});

test('template: the plugin is pinned to one version, because a grant is valid for one signature (I26)', () => {
  assert.match(template, /source += "github\.com\/cirruslabs\/tart"\n[^}]*version += "= \d+\.\d+\.\d+"/);
});

test('template: every named script exists, and every guest script is named', () => {
  const named = [...template.matchAll(/\$\{path\.root\}\/([\w./-]+\.sh)/g)].map(match => match[1] ?? '');
  for (const path of named) assert.ok(existsSync(join(here, path)), path);
  assert.deepEqual(
    named.filter(path => path.startsWith('guest/')).sort(),
    globSync('guest/*.sh', { cwd: here }).sort(),
  );
});

test('template: images and builders have the same pinned version of actions/runner', () => {
  const [, version, sha256] =
    /^actions_runner = \{\n {2}version = "(.*)"\n {2}sha256 {2}= "(.*)"$/m.exec(versions) ?? [];
  assert.deepEqual([version, sha256], [RUNNER.version, RUNNER.sha256]);
});

test('template: downloads into an image are pinned by version and checksum', () => {
  for (const name of ['actions_runner', 'guest_agent']) {
    assert.match(
      versions,
      new RegExp(`^${name} = \\{\\n {2}version = "\\d+\\.\\d+\\.\\d+"\\n {2}sha256 {2}= "[0-9a-f]{64}"\\n\\}`, 'm'),
    );
  }
});

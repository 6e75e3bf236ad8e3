import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { encodePassword } from '@minifleet/host/testing/steps';
import { createReachableMac, m1, networkOf, PASSWORD, root, runnerArchive } from '@minifleet/world/testing/mac';
import { archiveOf } from './testing/archive-of.ts';
import { openPacker, type PackerWithoutPlugin } from './testing/packer-without-plugin.ts';

/** Both downloads in one archive: each script takes what it needs. */
const FILES: Readonly<Record<string, string>> = { ...runnerArchive('2.338.0'), 'tart-guest-agent': 'a program' };

/** Builds the runner image with a simulated Mac as the guest; `files` is the content of every download. */
async function provision(context: TestContext, files: Readonly<Record<string, string>>) {
  const { mac, server, folder, journal } = await createReachableMac(context);
  const { archive, sha256 } = archiveOf(files);
  networkOf(mac).http = async () => ({ status: 200, body: archive });
  const packer = await openPacker({
    ssh_port: `${server.port}`,
    ssh_private_key_file: join(folder, 'key'),
    ssh_file_transfer_method: 'sftp',
  });
  context.after(() => packer.close());
  takeOutWhatTheWorldLacks(packer);
  const result = await packer.on('build', 'runner', {
    account: 'm1',
    password: PASSWORD,
    actions_runner: `{ version = "2.338.0", sha256 = "${sha256}" }`,
    guest_agent: `{ version = "0.15.0", sha256 = "${sha256}" }`,
  });
  return { ...result, mac, journal };
}

/** Programs the simulated Mac lacks: systemsetup, mdutil, and XOR in its shell, which scripts.test.ts tests with a real one. */
function takeOutWhatTheWorldLacks({ template, folder }: PackerWithoutPlugin): void {
  const scripts = /^ *"[^"]*\/guest\/(network-time|no-updates)\.sh",\n/gm;
  writeFileSync(template, readFileSync(template, 'utf8').replace(scripts, ''));
  const encoded = encodePassword(PASSWORD).toString('hex');
  writeFileSync(join(folder, 'images/guest/kcpassword.sh'), `printf %s ${encoded} | xxd -r -p\n`);
}

test('provision: the real Packer prepares a Mac for Pods over SSH, and the final check passes', async context => {
  const { code, text, mac, journal } = await provision(context, FILES);
  assert.equal(code, 0, text);
  assert.ok(mac.files.exists(m1, '/Users/m1/actions-runner/run.sh'));
  assert.ok(mac.files.read(root, '/etc/kcpassword').equals(encodePassword(PASSWORD)));
  assert.ok(mac.files.exists(root, '/Library/LaunchAgents/org.cirruslabs.tart-guest-agent.plist'));
  assert.deepEqual(journal.gaps, []);
});

test('provision: an image without the program that a Pod starts fails in Packer', async context => {
  const { 'run.sh': _, ...without } = FILES;
  const { code, text } = await provision(context, without);
  assert.notEqual(code, 0);
  assert.match(text, /runner: the runner in ~\/actions-runner is missing/);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodePassword } from '@minifleet/host/testing/steps';
import { PASSWORD, passTime, type TestHost, testHost } from '@minifleet/host/testing/test-host';
import { execute, m1, root } from '@minifleet/world/mac';
import { networkOf, runnerArchive } from '@minifleet/world/testing/mac';
import { archiveOf } from './testing/archive-of.ts';

const text = (script: string): string => readFileSync(join(import.meta.dirname, 'guest', `${script}.sh`), 'utf8');

/** A Mac in the state in which Packer finds the guest, with the files that the template uploads first. */
function guest(
  files: Readonly<Record<string, string>> = {},
): TestHost & { readonly archive: Buffer; readonly sha256: string } {
  const made = testHost({ passwordlessSudo: false });
  const { archive, sha256 } = archiveOf(files);
  networkOf(made.mac).http = async ({ url }) =>
    url.hostname === 'github.com' ? { status: 200, body: archive } : undefined;
  made.mac.files.write(root, '/tmp/fetch-verified.sh', text('fetch-verified'));
  // The simulated shell lacks XOR; scripts.test.ts tests it with a real shell.
  const encoded = encodePassword(PASSWORD).toString('hex');
  made.mac.files.write(root, '/tmp/kcpassword.sh', `printf %s ${encoded} | xxd -r -p`);
  return { ...made, archive, sha256 };
}

function run({ mac, clock }: TestHost, script: string, environment: Readonly<Record<string, string>>, user = root) {
  mac.files.write(root, '/tmp/script.sh', text(script));
  return passTime(clock, execute(mac, '/bin/sh /tmp/script.sh', { user, environment }));
}

const ACCOUNT = { ACCOUNT: 'm1', PASSWORD };
const shell = ({ mac, clock }: TestHost, command: string, user = m1) =>
  passTime(clock, execute(mac, command, { user }));

test('guest: the account needs no password for sudo', async () => {
  const made = guest();
  assert.notEqual((await shell(made, 'sudo -n true')).code, 0);
  const { code, err } = await run(made, 'passwordless-sudo', ACCOUNT);
  assert.equal(code, 0, err);
  assert.equal((await shell(made, 'sudo -n true')).code, 0);
  assert.deepEqual(made.journal.gaps, []);
});

test('guest: the account is logged in at the screen, and its password is not sealed', async () => {
  const made = guest();
  const { code, err } = await run(made, 'auto-login', ACCOUNT);
  assert.equal(code, 0, err);
  await shell(made, 'launchctl kickstart -k system/com.apple.loginwindow; sleep 10', root);
  assert.match((await shell(made, 'launchctl print gui/501')).out, /session = Aqua/);
  assert.ok(made.mac.files.read(root, '/etc/kcpassword').equals(encodePassword(PASSWORD)));
  assert.equal((await shell(made, 'cat /etc/kcpassword')).code, 1, 'only root reads it');
  assert.deepEqual(made.journal.gaps, []);
});

test('guest: the runner is in the home of the job account, at the pinned checksum', async () => {
  const made = guest(runnerArchive('2.338.0'));
  const { code, err } = await run(
    made,
    'actions-runner',
    { RUNNER_VERSION: '2.338.0', RUNNER_SHA256: made.sha256 },
    m1,
  );
  assert.equal(code, 0, err);
  assert.equal((await shell(made, 'test -x "$HOME/actions-runner/run.sh"')).code, 0);
  assert.deepEqual(made.journal.gaps, []);
});

test('guest: a download with another checksum is not unpacked, and both checksums are named', async () => {
  const made = guest(runnerArchive('2.338.0'));
  const { code, err } = await run(
    made,
    'actions-runner',
    { RUNNER_VERSION: '2.338.0', RUNNER_SHA256: 'f'.repeat(64) },
    m1,
  );
  assert.equal(code, 1);
  assert.ok(err.includes(`SHA-256 is ${made.sha256}, pinned is ${'f'.repeat(64)}`), err);
  assert.equal((await shell(made, 'ls "$HOME/actions-runner" /tmp/*.tar.gz*')).out, '');
});

test('guest: the screen session starts the guest agent, in place of the one in the base image', async () => {
  const made = guest({ 'tart-guest-agent': 'a program' });
  const [ours, theirs] = ['org.cirruslabs', 'org.openai'].map(
    name => `/Library/LaunchAgents/${name}.tart-guest-agent.plist`,
  );
  made.mac.files.makeDirectory(root, '/Library/LaunchAgents', { parents: true });
  made.mac.files.write(root, theirs ?? '', 'old');
  const { code, err } = await run(made, 'guest-agent', {
    GUEST_AGENT_VERSION: '0.15.0',
    GUEST_AGENT_SHA256: made.sha256,
  });
  assert.equal(code, 0, err);
  assert.deepEqual(made.mac.files.list(root, '/Library/LaunchAgents'), ['org.cirruslabs.tart-guest-agent.plist']);
  assert.equal((await shell(made, `plutil -lint ${ours} && test -x /usr/local/bin/tart-guest-agent`)).code, 0);
  assert.deepEqual(made.journal.gaps, []);
});

test('guest: the processor is unpacked only at the pinned checksum, and only if it can be started', async () => {
  const PINNED = { ACCOUNT: 'm1', PROCESSOR_SHA256: '' };
  const upload = (made: ReturnType<typeof guest>) =>
    made.mac.files.write(root, '/tmp/xcresult-processor.tar.gz', made.archive);
  const other = guest({ 'bin/start': 'a program' });
  upload(other);
  assert.match((await run(other, 'xcresult-processor', PINNED)).err, /checksum mismatch \(SHA-256 is [0-9a-f]{64}/);
  const empty = guest({ 'bin/stop': 'a program' });
  upload(empty);
  const { code, err } = await run(empty, 'xcresult-processor', { ...PINNED, PROCESSOR_SHA256: empty.sha256 });
  assert.equal(code, 1);
  assert.match(err, /has no executable bin\/start/);
});

test('guest: an Xcode that the base image lacks ends the bake with its name', async () => {
  const { code, err } = await run(guest(), 'xcode', { XCODE_VERSIONS: '26.3' });
  assert.equal(code, 1);
  assert.match(
    err,
    /the base image has no Xcode 26\.3: \/Applications\/Xcode_26\.3\.app\/Contents\/Developer does not exist/,
  );
  assert.equal((await run(guest(), 'xcode', { XCODE_VERSIONS: '' })).code, 0);
});

test('guest: the final check lists everything that is missing, and passes otherwise', async () => {
  const made = guest({ ...runnerArchive('2.338.0'), 'tart-guest-agent': 'a program' });
  const look = () => run(made, 'check-image', { ACCOUNT: 'm1', IMAGE: 'runner' }, m1);
  const bare = await look();
  assert.equal(bare.code, 1);
  for (const missing of [
    'sudo asks',
    'the boot logs in no user, expected m1',
    'the Tart guest agent is missing',
    'nothing starts',
    'the runner in ~/actions-runner is missing',
  ]) {
    assert.ok(bare.err.includes(missing), missing);
  }
  await run(made, 'passwordless-sudo', ACCOUNT);
  await run(made, 'auto-login', ACCOUNT);
  await run(made, 'guest-agent', { GUEST_AGENT_VERSION: '0.15.0', GUEST_AGENT_SHA256: made.sha256 });
  await run(made, 'actions-runner', { RUNNER_VERSION: '2.338.0', RUNNER_SHA256: made.sha256 }, m1);
  assert.deepEqual(await look(), { code: 0, out: '', err: '' });
});

test('guest: an image whose password macOS has sealed fails the bake', async () => {
  const made = guest();
  await run(made, 'passwordless-sudo', ACCOUNT);
  made.mac.files.write(root, '/etc/kcpassword', encodePassword('<sealed>'), { mode: 0o600 });
  assert.match(
    (await run(made, 'check-image', { ACCOUNT: 'm1', IMAGE: 'runner' }, m1)).err,
    /has sealed the auto-login password/,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { execute } from '@minifleet/world/mac';
import { planStep } from '../../engine/step.ts';
import { bring } from '../../engine/testing/bring.ts';
import { fileSteps } from '../../engine/testing/small-steps.ts';
import { convergeStep, PASSWORD, type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { type SudoSettings, sudo } from './sudo.ts';

const FILE = '/etc/sudoers.d/m1-nopasswd';
const RULE = 'm1 ALL=(ALL) NOPASSWD: ALL\n';
const password = new Secret('m1 password', PASSWORD);

const fresh = (): TestHost => testHost({ passwordlessSudo: false });
const step = (want: Partial<SudoSettings> = { password }) => planStep(sudo, { user: 'm1', ...want });
const ruleOn = ({ mac, root }: TestHost): string => mac.files.read(root, FILE).toString();
const triesOf = ({ journal }: TestHost): number =>
  journal.entries.filter(({ what, detail }) => what === 'command' && detail.includes('sudo -k -S')).length;

test('a fresh Mac gets the sudo rule with one use of the password', async () => {
  const given = fresh();
  const { before, after, notes } = await convergeStep(given.host, step());
  assert.deepEqual(before, {
    state: 'drift',
    differences: ['sudo asks m1 for a password, expected none', `${FILE} is missing`],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.deepEqual(notes, [`wrote ${FILE}, using the password once`]);
  assert.equal(ruleOn(given), RULE);
  assert.deepEqual(await given.host.fileInfo(FILE), { kind: 'file', mode: 0o440, uid: 0, gid: 0, size: RULE.length });
  assert.deepEqual(given.mac.files.list(given.root, '/etc/sudoers.d'), ['m1-nopasswd']);
  assert.equal(triesOf(given), 1);
  assert.deepEqual(given.journal.gaps, []);
});

test('sudo: a converged host is unchanged, and its inspection takes one round trip', async () => {
  const given = testHost();
  assert.deepEqual(await convergeStep(given.host, step()), {
    before: { state: 'current' },
    after: { state: 'current' },
    notes: [],
  });
  assert.equal(given.transport.roundTrips, 1);
});

test('wrong mode, owner or rule is repaired without the password while sudo works', async () => {
  const damages: readonly (readonly [string, RegExp])[] = [
    [`chmod 400 ${FILE}`, /has mode 0400, expected 0440/],
    [`chown root:staff ${FILE}`, /belongs to 0:20, expected root:wheel/],
    [`echo '# by hand' >> ${FILE}`, /contains another rule/],
    [`mv ${FILE} /etc/sudoers.d/somebody`, /is missing/],
  ];
  for (const [damage, words] of damages) {
    const given = testHost();
    await execute(given.mac, damage, { user: given.root });
    const { before, after } = await convergeStep(given.host, step({}));
    assert.match(JSON.stringify(before), words);
    assert.deepEqual(after, { state: 'current' });
    assert.equal(triesOf(given), 0);
    assert.deepEqual(given.journal.gaps, []);
  }
});

test('a sudoers file that sudo ignores for its mode is repaired with the password', async () => {
  const given = testHost();
  given.mac.files.chmod(given.root, FILE, 0o644);
  const { before, after } = await convergeStep(given.host, step());
  assert.match(JSON.stringify(before), /asks m1 for a password.*has mode 0644/);
  assert.deepEqual(after, { state: 'current' });
});

test('a missing sudoers.d is created', async () => {
  const given = fresh();
  given.mac.files.remove(given.root, '/etc/sudoers.d', { recursive: true });
  assert.deepEqual((await convergeStep(given.host, step())).after, { state: 'current' });
});

test('without a password sudo is not tried, and the error names what to provide', async () => {
  const given = fresh();
  await assert.rejects(convergeStep(given.host, step({})), { code: 'HOST_SUDO_NEEDED' });
  assert.equal(triesOf(given), 0);
  assert.deepEqual(given.mac.files.list(given.root, '/etc/sudoers.d'), []);
});

test('I34 a wrong password is tried once, and nothing is written', async () => {
  const given = fresh();
  const attempt = convergeStep(given.host, step({ password: new Secret('m1 password', 'stale') }));
  await assert.rejects(attempt, { code: 'HOST_SUDO_PASSWORD_WRONG', retry: 'untilSpecChanges' });
  assert.deepEqual(given.mac.files.list(given.root, '/etc/sudoers.d'), []);
  // Four more would be needed for the lock: one line of input was one try.
  for (let tries = 0; tries < 3; tries++) await execute(given.mac, 'sudo -S true', { stdin: 'stale\n' });
  assert.deepEqual((await convergeStep(given.host, step())).after, { state: 'current' });
});

test('I34 a locked account is distinguished from a wrong password, without extending the lockout', async () => {
  const given = fresh();
  for (let tries = 0; tries < 5; tries++) await execute(given.mac, 'sudo -S true', { stdin: 'stale\n' });
  await given.clock.advance(minutes(14));
  await assert.rejects(convergeStep(given.host, step()), {
    code: 'HOST_ACCOUNT_LOCKED',
    retry: { after: minutes(15) },
    message: /minutesUntilFailedLoginReset/,
  });
  assert.equal(triesOf(given), 0);
  await given.clock.advance(minutes(1));
  assert.deepEqual((await convergeStep(given.host, step())).after, { state: 'current' });
});

test('an invalid sudoers file is reported with a remedy, and the password is not tried', async () => {
  const given = fresh();
  given.mac.files.write(given.root, '/etc/sudoers.d/broken', 'm1 ALL NOPASSWD ALL\n', { mode: 0o440 });
  assert.match(JSON.stringify(await step().inspect(given.host)), /fails for every command.*broken:1:7: syntax error/);
  await assert.rejects(convergeStep(given.host, step()), { code: 'HOST_SUDO_BROKEN', message: /broken:1:7.*console/ });
  assert.equal(triesOf(given), 0);
});

test('an invalid sudoers file on a converged host is attributed to the sudo step only', async () => {
  const given = testHost();
  const steps = [step(), ...fileSteps('one')];
  await bring(given, steps);
  given.mac.files.write(given.root, '/etc/sudoers.d/broken', 'm1 ALL NOPASSWD ALL\n', { mode: 0o440 });
  const { error, steps: reports, attempts } = await bring(given, steps);
  assert.equal(error?.code, 'HOST_SUDO_BROKEN');
  assert.equal(reports[0]?.state, 'failed');
  assert.deepEqual(attempts, { sudo: 1 });
  await assert.rejects(given.host.query(['/usr/bin/true'], { root: true }), { code: 'HOST_SUDO_BROKEN' });
  given.mac.files.remove(given.root, '/etc/sudoers.d/broken');
  assert.equal((await bring(given, steps)).outcome, 'converged');
});

test('an account that is no administrator is HOST_SUDO_NOT_ALLOWED', async () => {
  const given = fresh();
  const stock = given.mac.files.read(given.root, '/etc/sudoers').toString();
  given.mac.files.write(given.root, '/etc/sudoers', stock.replace(/^%admin.*$/m, ''));
  await assert.rejects(convergeStep(given.host, step()), { code: 'HOST_SUDO_NOT_ALLOWED' });
});

test('a full disk and a rule rejected by visudo leave the host unchanged', async () => {
  const full = fresh();
  full.mac.files.reserve(full.mac.files.space.free);
  await assert.rejects(convergeStep(full.host, step()), { code: 'HOST_DISK_FULL' });
  assert.deepEqual(full.mac.files.list(full.root, '/etc/sudoers.d'), []);

  const refused = testHost();
  refused.mac.files.write(refused.root, FILE, `# by hand\n${RULE}`);
  refused.faults.add({ kind: 'process', detail: /^visudo/, fault: { type: 'fail', code: 1, message: 'parse error' } });
  await assert.rejects(convergeStep(refused.host, step()), { code: 'HOST_COMMAND_FAILED', message: /code 84.*parse/ });
  assert.equal(ruleOn(refused), `# by hand\n${RULE}`);
  assert.deepEqual(refused.mac.files.list(refused.root, '/etc/sudoers.d'), ['m1-nopasswd']);
});

test('a password with a line break and a user name special to sudoers are rejected', async () => {
  const given = fresh();
  for (const bad of ['', '\n', 'two\nlines', 'a\0b'])
    await assert.rejects(convergeStep(given.host, step({ password: new Secret('m1 password', bad) })), {
      code: 'HOST_PASSWORD_UNUSABLE',
    });
  for (const user of ['ALL', '%admin', '#501', 'm1 ALL=(ALL) ALL\nx', '../x', ''])
    await assert.rejects(convergeStep(given.host, step({ user, password })), { code: 'HOST_USER_NAME_INVALID' });
  assert.equal(triesOf(given), 0);
  const lineEnd = new Secret('m1 password', `${PASSWORD}\n`);
  assert.deepEqual((await convergeStep(given.host, step({ password: lineEnd }))).after, { state: 'current' });
});

test('sudo: a run killed at any command converges on the next run', async () => {
  await killedAtEveryCommand(() => ({ given: fresh(), steps: [step()] }));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { execute } from '@minifleet/world/mac';
import { planStep } from '../../engine/step.ts';
import { type ConvergedStep, convergeStep, PASSWORD, passTime, type TestHost, testHost } from '../../testing/index.ts';
import { killedAtEveryCommand } from '../../testing/killed-at-every-command.ts';
import { autoLogin, restartLoginWindow } from './auto-login.ts';
import { encodePassword } from './password.ts';

const FILE = '/etc/kcpassword';
const password = new Secret('m1 password', PASSWORD);
const withPassword = planStep(autoLogin, { user: 'm1', password });
const without = planStep(autoLogin, { user: 'm1' });

const converge = (given: TestHost, step = withPassword): Promise<ConvergedStep> =>
  passTime(given.clock, convergeStep(given.host, step));
const asRoot = ({ mac, root }: TestHost, line: string) => execute(mac, line, { user: root });
const happened = ({ journal }: TestHost, what: string): number =>
  journal.entries.filter(entry => entry.what === what).length;
const fileOn = ({ mac, root }: TestHost): string => mac.files.read(root, FILE).toString('hex');
const hex = (text: string): string => encodePassword(text).toString('hex');

async function converged(): Promise<TestHost> {
  const given = testHost();
  assert.deepEqual((await converge(given)).after, { state: 'current' });
  return given;
}

async function reboot({ mac, clock }: TestHost): Promise<void> {
  const rebooted = mac.reboot();
  await clock.advance(seconds(60));
  await rebooted;
}

test('a fresh Mac without a display gets auto-login and a session', async () => {
  const given = testHost();
  await given.clock.advance(minutes(1));
  const { before, after, notes } = await converge(given);
  assert.deepEqual(before, {
    state: 'drift',
    differences: ['auto-login is off, expected for m1', 'kcpassword is missing', 'm1 has no GUI session'],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.deepEqual(notes, [`wrote ${FILE}`, 'set auto-login to m1', 'restarted the login window']);
  assert.equal(fileOn(given), hex(PASSWORD));
  const { mode, uid, gid } = (await given.host.fileInfo(FILE)) ?? {};
  assert.deepEqual([mode, uid, gid], [0o600, 0, 0]);
  assert.deepEqual(given.journal.gaps, []);
});

test('auto-login: a converged host is unchanged with and without the password', async () => {
  const given = await converged();
  for (const step of [withPassword, without]) {
    const trips = given.transport.roundTrips;
    assert.deepEqual(await converge(given, step), {
      before: { state: 'current' },
      after: { state: 'current' },
      notes: [],
    });
    assert.equal(given.transport.roundTrips, trips + 1);
  }
});

test('the session is restored after a reboot without a display and without the password', async () => {
  const given = await converged();
  await reboot(given);
  const { before, after, notes } = await converge(given, without);
  assert.deepEqual(before, { state: 'drift', differences: ['m1 has no GUI session'] });
  assert.deepEqual(after, { state: 'current' });
  assert.deepEqual(notes, ['restarted the login window']);
});

test('I08 a login window that exited on SIGHUP is started again', async () => {
  const given = await converged();
  await asRoot(given, 'killall -HUP loginwindow');
  await given.clock.advance(minutes(1));
  const { before, after } = await converge(given, without);
  assert.deepEqual(before, {
    state: 'drift',
    differences: ['the login window is not running', 'm1 has no GUI session'],
  });
  assert.deepEqual(after, { state: 'current' });
  assert.ok(given.journal.entries.every(({ what, detail }) => what !== 'command' || !detail.includes('killall')));
});

test('an existing session is never ended by auto-login repairs', async () => {
  for (const damage of [
    `printf x > ${FILE}`,
    `rm ${FILE}`,
    `chmod 644 ${FILE}`,
    'defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser somebody',
    'defaults delete /Library/Preferences/com.apple.loginwindow autoLoginUser',
  ]) {
    const given = await converged();
    await asRoot(given, damage);
    const { before, after, notes } = await converge(given);
    assert.equal(before.state, 'drift', damage);
    assert.deepEqual(after, { state: 'current' });
    assert.equal(notes.length, 1);
    assert.equal(happened(given, 'aqua session over'), 0);
    assert.equal(fileOn(given), hex(PASSWORD));
    assert.deepEqual(given.journal.gaps, []);
  }
});

test('a session that starts after the inspection is not ended', async () => {
  const given = await converged();
  assert.equal(await passTime(given.clock, restartLoginWindow(given.host, 'm1')), 'alive');
  assert.equal(happened(given, 'aqua session over'), 0);
});

test('I07 a mistyped password is rejected before anything is written, and the host keeps running', async () => {
  const mistyped = planStep(autoLogin, { user: 'm1', password: new Secret('m1 password', 'corect horse') });
  const running = await converged();
  const bare = testHost();
  for (const given of [running, bare])
    await assert.rejects(converge(given, mistyped), { code: 'HOST_PASSWORD_WRONG', retry: 'untilSpecChanges' });
  assert.equal(fileOn(running), hex(PASSWORD));
  assert.equal(happened(running, 'aqua session over'), 0);
  assert.equal(bare.mac.files.exists(bare.root, FILE), false);
  const { exitCode } = await bare.host.query(['defaults', 'read', '/Library/Preferences/com.apple.loginwindow']);
  assert.equal(exitCode, 1);
});

test('I06 a sealed kcpassword is detected and repaired with the correct password', async () => {
  const given = await converged();
  given.mac.files.write(given.root, FILE, encodePassword('<sealed>'));
  await asRoot(given, 'launchctl kickstart -k system/com.apple.loginwindow');
  await given.clock.advance(seconds(5));
  await assert.rejects(converge(given, without), { code: 'HOST_PASSWORD_NEEDED', message: /kcpassword is sealed/ });
  const { before, after } = await converge(given);
  assert.match(JSON.stringify(before), /kcpassword is sealed: the login window rejected/);
  assert.deepEqual(after, { state: 'current' });
});

test('I06 a password that the login window rejects is reported as the cause', async () => {
  const given = await converged();
  given.mac.files.write(given.root, FILE, encodePassword('last week’s'));
  await reboot(given);
  await assert.rejects(converge(given, without), {
    code: 'HOST_PASSWORD_SEALED',
    message: /rejected the password of m1/,
  });
});

test('without the password auto-login does not change a new host', async () => {
  const given = testHost();
  await assert.rejects(converge(given, without), { code: 'HOST_PASSWORD_NEEDED', retry: 'untilSpecChanges' });
  assert.equal(given.mac.files.exists(given.root, FILE), false);
  assert.ok(given.journal.entries.every(({ detail }) => !detail.includes('kickstart')));
});

test('I34 the correct password is not tried while the account is locked', async () => {
  const given = testHost();
  for (let tries = 0; tries < 5; tries++) await execute(given.mac, 'sudo -S -v', { stdin: 'stale\n' });
  await given.clock.advance(minutes(14));
  await assert.rejects(converge(given), { code: 'HOST_ACCOUNT_LOCKED' });
  await given.clock.advance(minutes(1));
  assert.deepEqual((await converge(given)).after, { state: 'current' });
});

test('a password that sudo cannot verify is not written', async () => {
  const given = testHost();
  const stock = given.mac.files.read(given.root, '/etc/sudoers').toString();
  given.mac.files.write(given.root, '/etc/sudoers', stock.replace(/^%admin.*$/m, ''));
  await assert.rejects(converge(given), { code: 'HOST_PASSWORD_UNCHECKED' });
  assert.equal(given.mac.files.exists(given.root, FILE), false);
});

test('a login window that hangs or cannot start is an error', async () => {
  const hanging = testHost();
  hanging.faults.add({ kind: 'process', detail: 'launchd com.apple.loginwindow', fault: { type: 'hang' } });
  await assert.rejects(converge(hanging), { code: 'HOST_SESSION_MISSING', message: /30s/ });
  const gone = testHost();
  await asRoot(gone, 'launchctl bootout system/com.apple.loginwindow');
  await gone.clock.advance(seconds(10));
  await assert.rejects(converge(gone), { code: 'HOST_COMMAND_FAILED', message: /auto-login-restart/ });
});

test('a full disk keeps the old kcpassword and the session', async () => {
  const given = await converged();
  given.mac.files.write(given.root, FILE, encodePassword('another'));
  given.mac.files.reserve(given.mac.files.space.free);
  await assert.rejects(converge(given), { code: 'HOST_DISK_FULL' });
  assert.equal(fileOn(given), hex('another'));
  assert.equal(happened(given, 'aqua session over'), 0);
});

test('no message and no command argument contains the password', async () => {
  const given = await converged();
  const said = JSON.stringify([given.journal.entries, await withPassword.inspect(given.host), withPassword.want]);
  for (const form of [PASSWORD, hex(PASSWORD), encodePassword(PASSWORD).toString('base64')])
    assert.equal(said.includes(form), false);
});

test('auto-login: a run killed at any command converges on the next run', async () => {
  await killedAtEveryCommand(() => ({ given: testHost(), steps: [withPassword] }));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { launchdPart } from '../launchd/launchd-part.ts';
import { m1, root } from '../mac.ts';
import { processesOf } from '../processes/process-table.ts';
import { plist } from '../testing/plist.ts';
import { type SmallMac, smallMac } from '../testing/small-mac.ts';
import { changePassword, LOCKED_FOR, WRONG_BEFORE_LOCK } from '../unix/sudo/password.ts';
import { decodePassword, encodePassword } from './kcpassword.ts';
import { hasAquaSession, loginWindowPart, loginWindowSettings } from './login-window.ts';

function host(password: string): SmallMac {
  const small = smallMac([launchdPart, loginWindowPart]);
  small.mac.files.write(root, '/etc/kcpassword', encodePassword(password), { mode: 0o600 });
  small.mac.files.write(root, '/Library/Preferences/com.apple.loginwindow.plist', plist({ autoLoginUser: 'm1' }));
  return small;
}

const kick = (small: SmallMac): ReturnType<SmallMac['run']> =>
  small.run(['launchctl', 'kickstart', '-k', 'system/com.apple.loginwindow']);
const hangUp = (small: SmallMac): boolean => {
  const [process] = processesOf(small.mac).find('loginwindow');
  return process !== undefined && processesOf(small.mac).signal(process.pid, 'SIGHUP');
};

test('kcpassword is encoded like on a real Mac', () => {
  const vectors: Readonly<Record<string, string>> = {
    hello: '15ec3e4fbdbcddeaa3b91f',
    correcthors: '1ee62051b7dfa982cccb6c7d895223d2bcddeaa3b91f',
    '<sealed>': '41fa3742bed9b9d4a3b91f',
    '': '7d895223d2bcddeaa3b91f',
  };
  for (const [plain, hex] of Object.entries(vectors)) {
    assert.equal(encodePassword(plain).toString('hex'), hex);
    assert.equal(decodePassword(Buffer.from(hex, 'hex')), plain);
  }
});

test('I06 I07 a wrong auto-login password is silently overwritten and no user is logged in', async () => {
  const small = host('mistyped');
  assert.equal((await kick(small)).code, 0);
  await small.clock.advance(seconds(30));
  assert.equal(small.mac.files.read(root, '/etc/kcpassword').toString('hex'), '41fa3742bed9b9d4a3b91f');
  assert.equal(small.mac.files.stat(root, '/etc/kcpassword').mode & 0o777, 0o600);
  assert.equal((await small.run(['launchctl', 'print', 'gui/501'])).code, 125);
  small.close();
});

test('I06 the correct auto-login password opens the Aqua session and starts the agents', async () => {
  const small = host('hello');
  small.mac.install('/usr/local/bin/agent', () => new Promise(() => undefined));
  const agent = plist({ Label: 'agent', ProgramArguments: ['/usr/local/bin/agent'], RunAtLoad: true });
  small.mac.files.write(m1, '/Users/m1/Library/LaunchAgents/agent.plist', agent);
  await kick(small);
  await small.clock.advance(seconds(3));
  assert.match((await small.run(['launchctl', 'print', 'gui/501'])).out, /session = Aqua/);
  assert.match((await small.run(['launchctl', 'print', 'gui/501/agent'])).out, /state = running/);
  small.close();
});

test('a Mac without a display ignores auto-login until its login window is kickstarted', async () => {
  const small = host('hello');
  const reboot = async (): Promise<void> => {
    const rebooted = small.mac.reboot();
    await small.clock.advance(seconds(60));
    await rebooted;
  };
  await reboot();
  assert.equal(hasAquaSession(small.mac, 501), false);
  await kick(small);
  await small.clock.advance(seconds(3));
  assert.equal(hasAquaSession(small.mac, 501), true);
  loginWindowSettings(small.mac).display = true;
  await reboot();
  assert.equal(hasAquaSession(small.mac, 501), true);
  small.close();
});

test('I08 a login window that exited on SIGHUP is not respawned', async () => {
  const small = host('hello');
  await kick(small);
  await small.clock.advance(seconds(3));
  assert.equal(hangUp(small), true);
  await small.clock.advance(seconds(60));
  assert.equal(hasAquaSession(small.mac, 501), false);
  assert.equal(hangUp(small), false);
  small.close();
});

test('I08 kickstart restarts the login window, whether it runs or not', async () => {
  const small = host('hello');
  hangUp(small);
  for (let round = 0; round < 2; round++) {
    assert.equal((await kick(small)).code, 0);
    await small.clock.advance(seconds(3));
    assert.equal(hasAquaSession(small.mac, 501), true);
  }
  small.close();
});

test('I34 checking whether an account is locked does not restart the lock', async () => {
  const small = smallMac([launchdPart, loginWindowPart]);
  const ask = async (): Promise<string> =>
    (await small.run(['pwpolicy', '-u', 'm1', '-authentication-allowed'], { user: m1 })).out;
  assert.match(await ask(), /^Policy allows user <m1> to authenticate$/m);
  for (let tries = 0; tries < WRONG_BEFORE_LOCK; tries++)
    await small.run(['sudo', '-S', 'true'], { user: m1, stdin: 'wrong\n' });
  assert.match(await ask(), /^User <m1> is not allowed to authenticate: /);
  await small.clock.advance(LOCKED_FOR);
  assert.match(await ask(), /^Policy allows/);
  small.close();
});

test('I34 only root can unlock an account', async () => {
  const small = smallMac([launchdPart, loginWindowPart]);
  for (let tries = 0; tries < WRONG_BEFORE_LOCK; tries++)
    await small.run(['sudo', '-S', 'true'], { user: m1, stdin: 'wrong\n' });
  const enable = ['pwpolicy', '-u', 'm1', '-enableuser'];
  const ask = ['pwpolicy', '-u', 'm1', '-authentication-allowed'];
  assert.equal((await small.run(enable, { user: m1 })).code, 1);
  assert.match((await small.run(ask)).out, /is not allowed/);
  assert.equal((await small.run(enable)).code, 0);
  assert.match((await small.run(ask)).out, /^Policy allows/);
  small.close();
});

test('I06 a password changed on the Mac invalidates the auto-login file with the old one', async () => {
  const small = host('hello');
  changePassword(small.mac, 'another');
  await kick(small);
  await small.clock.advance(seconds(3));
  assert.equal(hasAquaSession(small.mac, 501), false);
  assert.equal(small.mac.files.read(root, '/etc/kcpassword').toString('hex'), '41fa3742bed9b9d4a3b91f');
  small.close();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import type { Host } from '@minifleet/host';
import { PASSWORD, passTime, type TestHost, testHost } from '@minifleet/host/testing';
import { silentLog } from '@minifleet/kube';
import { execute, root } from '@minifleet/world/mac';
import { createGuiSession, type GuiSession } from './gui-session.ts';

const XOR = Buffer.from('7d895223d2bcddeaa3b91f', 'hex');

/** Content of /etc/kcpassword. */
function encoded(password: string): Buffer {
  const padded = Buffer.alloc(Math.ceil((password.length + 1) / XOR.length) * XOR.length);
  padded.write(password);
  return Buffer.from(padded.map((byte, index) => byte ^ (XOR[index % XOR.length] ?? 0)));
}

/** A Mac set up for auto-login, as a bootstrap leaves it, without a GUI session. */
function prepared(password = PASSWORD): TestHost & { readonly session: GuiSession } {
  const given = testHost();
  given.mac.files.write(root, '/etc/kcpassword', encoded(password), { mode: 0o600 });
  const session = createGuiSession({ host: given.host, user: 'm1', log: silentLog });
  return { ...given, session };
}

async function setUp(password?: string) {
  const given = prepared(password);
  await execute(given.mac, 'defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1', {
    user: root,
  });
  await given.clock.advance(minutes(1));
  return given;
}

const restarts = ({ journal }: TestHost): number =>
  journal.entries.filter(({ what, detail }) => what === 'command' && `${detail}`.includes('kickstart -k')).length;

const require = (given: TestHost & { session: GuiSession }): Promise<void> =>
  passTime(given.clock, given.session.require());

test('B4 the bootstrap’s repair restores a missing GUI session before a VM starts', async () => {
  const given = await setUp();
  await require(given);
  assert.equal(restarts(given), 1);
  assert.deepEqual(await given.session.check(), {
    status: 'True',
    reason: 'SessionActive',
    message: 'm1 has a GUI session',
  });
  await require(given);
  assert.equal(restarts(given), 1);
});

test('I08 a missing login window is restarted through launchd before a VM starts', async () => {
  const given = await setUp();
  await require(given);
  await execute(given.mac, 'killall -HUP loginwindow', { user: root });
  await given.clock.advance(minutes(2));
  await require(given);
  assert.equal((await given.session.check()).status, 'True');
});

test('I06 PasswordSealed is reported, and the login window is not restarted again for it', async () => {
  const given = await setUp('wrong');
  await assert.rejects(require(given), {
    code: 'GUI_SESSION_MISSING',
    message: /the login window refused the stored password/,
  });
  const once = restarts(given);
  for (let round = 0; round < 5; round++) {
    await given.clock.advance(minutes(10));
    const finding = await given.session.check();
    assert.deepEqual([finding.status, finding.reason], ['False', 'PasswordSealed']);
    await assert.rejects(require(given), { reason: 'GUISessionMissing' });
  }
  assert.equal(restarts(given), once);
});

test('concurrent GUI session checks start one repair and do not wait for it', async () => {
  const given = await setUp();
  const [first, second] = await Promise.all([given.session.check(), given.session.check()]);
  assert.deepEqual([first.reason, second.reason], ['NoSession', 'NoSession']);
  await given.clock.advance(minutes(1));
  assert.equal((await given.session.check()).status, 'True');
  assert.equal(restarts(given), 1);
});

test('a GUI session that cannot be inspected is Unknown and does not prevent a VM start', async () => {
  const given = await setUp();
  given.faults.add({ kind: 'command', fault: { type: 'drop', when: 'before' }, times: 2 });
  assert.equal((await given.session.check()).status, 'Unknown');
  await require(given);
});

test('a GUI session repair without effect is retried only after its back-off', async () => {
  const given = await setUp();
  let scripts = 0;
  const host: Host = {
    ...given.host,
    script: async () => {
      scripts += 1;
      return { exitCode: 83, stdout: '', stderr: '', bytes: Buffer.alloc(0) };
    },
  };
  const session = createGuiSession({ host, user: 'm1', log: silentLog });
  for (let second = 0; second < 180; second += 10) {
    await assert.rejects(session.require(), { code: 'GUI_SESSION_MISSING' });
    await given.clock.advance(seconds(10));
  }
  assert.equal(scripts, 2, 'at once, after one minute, and then after two more');
});

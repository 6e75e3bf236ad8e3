import assert from 'node:assert/strict';
import { test } from 'node:test';
import { root } from '../../mac.ts';
import { createTestMac, PASSWORD, type TestMac } from '../../testing/test-mac.ts';
import { changePassword, LOCKED_FOR, WRONG_BEFORE_LOCK } from './password.ts';

const RULE = 'm1 ALL=(ALL) NOPASSWD: ALL\n';

const permit = ({ mac }: TestMac, mode = 0o440, text = RULE): void =>
  mac.files.write(root, '/etc/sudoers.d/m1-nopasswd', text, { mode });

test('sudo -n succeeds only with a rule', async () => {
  const mac = createTestMac();
  assert.deepEqual(await mac.run('sudo -n true'), { code: 1, out: '', err: 'sudo: a password is required\n' });
  permit(mac);
  assert.deepEqual(await mac.run('sudo -n whoami'), { code: 0, out: 'root\n', err: '' });
});

test('sudo ignores a rule file that others can read and prints a warning', async () => {
  const mac = createTestMac();
  permit(mac, 0o644);
  const { code, err } = await mac.run('sudo -n true');
  assert.equal(code, 1);
  assert.match(err, /is mode 0644, should be 0440/);
});

test('a syntax error in sudoers.d disables sudo, and visudo -c detects it', async () => {
  const mac = createTestMac();
  permit(mac, 0o440, 'm1 ALL NOPASSWD ALL\n');
  const { code, err } = await mac.run('sudo -S true', { stdin: `${PASSWORD}\n` });
  assert.equal(code, 1);
  assert.match(err, /m1-nopasswd:1:7: syntax error[\s\S]*no valid sudoers sources found, quitting/);
  await mac.run('echo "m1 ALL NOPASSWD ALL" > /tmp/rule');
  assert.equal((await mac.run('visudo -cf /tmp/rule')).code, 1);
  assert.deepEqual(await mac.run(`echo '${RULE.trim()}' > /tmp/rule; visudo -cf /tmp/rule`), {
    code: 0,
    out: '/tmp/rule: parsed OK\n',
    err: '',
  });
});

test('sudo -S reads one line of standard input and leaves the rest to the command', async () => {
  const { run } = createTestMac();
  assert.deepEqual(await run('sudo -S cat', { stdin: `${PASSWORD}\nrest\n` }), {
    code: 0,
    out: 'rest\n',
    err: 'Password:',
  });
});

test('sudo gives up after three wrong passwords', async () => {
  const { run } = createTestMac();
  const { code, err } = await run('sudo -S true', { stdin: 'a\nb\nc\nd\n' });
  assert.equal(code, 1);
  assert.equal(
    err,
    'Password:Sorry, try again.\nPassword:Sorry, try again.\nPassword:sudo: 3 incorrect password attempts\n',
  );
});

test('a password in a pipe and a file in a here-document work together only with MULTIOS', async () => {
  const { run, mac } = createTestMac();
  const step = `echo '${PASSWORD}' | sudo -S tee /etc/sudoers.d/m1-nopasswd <<'EOF'\n${RULE}EOF`;
  assert.equal((await run(step)).code, 0);
  assert.equal(mac.files.read(root, '/etc/sudoers.d/m1-nopasswd').toString(), RULE);
  assert.equal((await createTestMac().run('/bin/bash -s', { stdin: step })).code, 1);
});

test('I34 retrying a stale password locks the account, which then also rejects the correct one', async () => {
  const { run, mac, clock, journal } = createTestMac();
  changePassword(mac, 'new password');
  for (let tries = 0; tries < WRONG_BEFORE_LOCK; tries++) await run('sudo -S true', { stdin: `${PASSWORD}\n` });
  assert.equal((await run('sudo -S true', { stdin: 'new password\n' })).code, 1);
  assert.ok(journal.entries.some(entry => entry.what === 'account locked'));
  await clock.advance(LOCKED_FOR);
  assert.equal((await run('sudo -S true', { stdin: 'new password\n' })).code, 0);
});

test('sudo keeps HOME and PATH, drops other variables, and can switch to another user', async () => {
  const mac = createTestMac();
  permit(mac);
  assert.equal(
    (await mac.run('X=1 sudo env | grep -E "^(X|HOME|USER|SUDO_USER)=" | sort')).out,
    'HOME=/Users/m1\nSUDO_USER=m1\nUSER=root\n',
  );
  assert.equal((await mac.run('sudo -u m1 -- whoami; sudo nope')).out, 'm1\n');
  assert.equal((await mac.run('sudo nope')).err, 'sudo: nope: command not found\n');
});

test('dscl . -authonly accepts the correct password only', async () => {
  const { run } = createTestMac();
  assert.equal((await run(`dscl . -authonly m1 '${PASSWORD}'`)).code, 0);
  assert.notEqual((await run('dscl . -authonly m1 wrong')).code, 0);
});

test('sudo -v always asks an administrator for the password, whatever the rules', async () => {
  const mac = createTestMac();
  permit(mac);
  assert.equal((await mac.run('sudo -n true')).code, 0);
  assert.equal((await mac.run('sudo -n -v')).code, 1);
  assert.deepEqual(await mac.run('sudo -k -S -p asked: -v', { stdin: `${PASSWORD}\n` }), {
    code: 0,
    out: '',
    err: 'asked:',
  });
  const { code, err } = await mac.run('sudo -k -S -v', { stdin: 'wrong\n' });
  assert.equal(code, 1);
  assert.match(err, /^sudo: 1 incorrect password attempt$/m);
});

test('sudo -v needs no password if every matching rule is NOPASSWD', async () => {
  const mac = createTestMac();
  permit(mac, 0o440, RULE);
  const stock = mac.mac.files.read(root, '/etc/sudoers').toString();
  mac.mac.files.write(root, '/etc/sudoers', stock.replace(/^%admin.*$/m, ''));
  assert.deepEqual(await mac.run('sudo -k -S -v', { stdin: 'anything\n' }), { code: 0, out: '', err: '' });
});

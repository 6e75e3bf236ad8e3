import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { m1, root } from '../mac.ts';
import { createReachableMac } from '../testing/open-ssh.ts';

test('ssh runs a command in zsh and returns output, errors and exit code', async t => {
  const { ssh } = await createReachableMac(t);
  const ended = await ssh('echo $0 $SHELL; echo oops >&2; exit 7');
  assert.deepEqual(ended, { code: 7, out: 'zsh /bin/zsh\n', err: 'oops\n' });
});

test('ssh streams standard input into a file', async t => {
  const { ssh, mac } = await createReachableMac(t);
  const content = randomBytes(3_000_000);
  const ended = await ssh('cat > upload && shasum -a 256 upload', { stdin: content });
  const hash = createHash('sha256').update(content).digest('hex');
  assert.deepEqual(ended, { code: 0, out: `${hash}  upload\n`, err: '' });
  assert.ok(mac.files.read(m1, '/Users/m1/upload').equals(content));
});

test('a key in the vendor’s file scw_authorized_keys is also accepted', async t => {
  const { ssh } = await createReachableMac(t, { keyFile: 'scw_authorized_keys' });
  assert.equal((await ssh('whoami')).out, 'm1\n');
});

test('an unlisted SSH key is rejected without a password prompt', async t => {
  const { ssh, mac } = await createReachableMac(t);
  mac.files.write(root, '/Users/m1/.ssh/authorized_keys', '');
  const { code, err } = await ssh('true');
  assert.equal(code, 255);
  assert.match(err, /Permission denied \(publickey\)/);
});

test('SSH keys in a file that other users can write are rejected', async t => {
  const { ssh, mac, journal } = await createReachableMac(t);
  mac.files.chmod(root, '/Users/m1/.ssh/authorized_keys', 0o666);
  assert.equal((await ssh('true')).code, 255);
  assert.ok(journal.entries.some(entry => entry.detail.includes('bad ownership or modes')));
});

test('scp copies in both directions', async t => {
  const { scp, folder, mac } = await createReachableMac(t);
  const content = randomBytes(300_000);
  writeFileSync(join(folder, 'here'), content);
  assert.deepEqual(await scp(join(folder, 'here'), 'mac:there'), { code: 0, out: '', err: '' });
  assert.ok(mac.files.read(m1, '/Users/m1/there').equals(content));
  assert.equal((await scp('mac:there', join(folder, 'back'))).code, 0);
  assert.ok(readFileSync(join(folder, 'back')).equals(content));
});

test('sftp runs a batch: folders, renames, modes, links and lists', async t => {
  const { sftp, folder, mac } = await createReachableMac(t);
  writeFileSync(join(folder, 'a'), 'text');
  const batch = [
    'mkdir d',
    `put ${join(folder, 'a')} d/a`,
    'chmod 600 d/a',
    'rename d/a d/b',
    'symlink b d/l',
    'ls -1 d',
    'pwd',
  ];
  const ended = await sftp(`${batch.join('\n')}\n`);
  assert.equal(ended.code, 0, ended.err);
  assert.match(ended.out, /d\/b/);
  assert.match(ended.out, /Remote working directory: \/Users\/m1/);
  assert.equal(mac.files.stat(m1, '/Users/m1/d/b').mode, 0o600);
  assert.equal(mac.files.read(m1, '/Users/m1/d/l').toString(), 'text');
});

test('ssh exits with 255 if the connection drops during a command', async t => {
  const { ssh, faults } = await createReachableMac(t);
  faults.add({ kind: 'command', fault: { type: 'drop', when: 'during' } });
  assert.equal((await ssh('cat > upload', { stdin: randomBytes(1_000_000) })).code, 255);
});

test('an interrupted upload is moved into place truncated, because cat saw the end of its input', async t => {
  const { ssh, faults, mac } = await createReachableMac(t);
  faults.add({ kind: 'command', fault: { type: 'drop', when: 'during' }, times: 1 });
  await ssh('cat > part && mv part whole', { stdin: randomBytes(2_000_000) });
  const { size } = mac.files.stat(m1, '/Users/m1/whole');
  assert.ok(size > 0 && size < 2_000_000, String(size));
});

test('ssh exits with 255 if the response is lost, although the command ran', async t => {
  const { ssh, faults, mac } = await createReachableMac(t);
  faults.add({ kind: 'command', fault: { type: 'drop', when: 'after' }, times: 1 });
  assert.equal((await ssh('touch ran')).code, 255);
  assert.ok(mac.files.exists(m1, '/Users/m1/ran'));
});

test('ssh exits with 255 if the connection is refused', async t => {
  const { ssh, faults } = await createReachableMac(t);
  faults.add({ kind: 'connect', fault: { type: 'drop', when: 'before' }, times: 1 });
  assert.equal((await ssh('true')).code, 255);
  assert.equal((await ssh('true')).code, 0);
});

test('a rebooting Mac drops connections, refuses new ones, and keeps its host key', async t => {
  const { ssh, mac } = await createReachableMac(t);
  const running = ssh('echo started; cat', { stdin: '' });
  await running;
  mac.shutDown();
  assert.equal((await ssh('true')).code, 255);
  mac.boot();
  assert.equal((await ssh('uptime > /dev/null; echo back')).out, 'back\n');
});

test('a script on the standard input of ssh runs in the login shell', async t => {
  const { ssh } = await createReachableMac(t);
  assert.equal((await ssh('/bin/bash -s -- one', { stdin: 'echo "$1 from $0"\n' })).out, 'one from bash\n');
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import ssh2 from 'ssh2';
import { createMac } from '../create-mac.ts';
import { m1, root } from '../mac.ts';
import { createTestMac, type TestMac } from '../testing/test-mac.ts';
import { hostKeyOf, openSshKey } from './host-key.ts';
import { startSshServer } from './start-ssh-server.ts';

async function connect(context: TestContext): Promise<{ readonly client: ssh2.Client; readonly test: TestMac }> {
  const test = createTestMac();
  const key = openSshKey(randomBytes(32));
  test.mac.files.write(root, '/Users/m1/.ssh/scw_authorized_keys', key.public);
  const server = await startSshServer(test.mac);
  const client = new ssh2.Client();
  client.on('error', () => undefined);
  context.after(async () => {
    client.destroy();
    await server.close();
  });
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).once('error', reject);
    client.connect({ host: server.host, port: server.port, username: 'm1', privateKey: key.private });
  });
  return { client, test };
}

function exec(
  client: ssh2.Client,
  command: string,
  stdin?: Buffer,
): Promise<{ readonly code: number | null; readonly out: string; readonly signal: string | undefined }> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) {
        reject(error);
        return;
      }
      const out: Buffer[] = [];
      channel.on('data', (chunk: Buffer) => out.push(chunk));
      channel.stderr.resume();
      channel.on('close', (code: number | null, signal: string | undefined) =>
        resolve({ code, out: Buffer.concat(out).toString(), signal }),
      );
      if (stdin) channel.end(stdin);
    });
  });
}

test('the eleventh SSH session on one connection is refused until another one ends', async t => {
  const { client } = await connect(t);
  const open = Array.from(
    { length: 10 },
    () =>
      new Promise<ssh2.ClientChannel>((resolve, reject) => {
        client.exec('cat', (error, channel) => (error ? reject(error) : resolve(channel)));
      }),
  );
  const [first, ...others] = await Promise.all(open);
  await assert.rejects(exec(client, 'true'), /Channel open failure/);
  const closed = new Promise(resolve => first?.once('close', resolve));
  first?.resume().end();
  await closed;
  assert.equal((await exec(client, 'echo room')).out, 'room\n');
  for (const channel of others) channel.end();
});

test('a signal from the SSH client ends the command', async t => {
  const { client } = await connect(t);
  const ended = new Promise<string | undefined>((resolve, reject) => {
    client.exec('sleep 600', (error, channel) => {
      if (error) return reject(error);
      channel.once('close', (_code: number | null, signal: string | undefined) => resolve(signal));
      channel.resume().signal('TERM');
    });
  });
  assert.equal(await ended, 'SIGTERM');
});

test('SSH reports the name of the signal that ended the command', async t => {
  const { client } = await connect(t);
  assert.deepEqual(await exec(client, 'pkill -KILL zsh'), { code: null, out: '', signal: 'SIGKILL' });
});

test('a command that runs as root does not receive the SSH client’s signal', async t => {
  const { client, test } = await connect(t);
  test.mac.files.write(root, '/etc/sudoers.d/m1', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  const ended = new Promise<string>((resolve, reject) => {
    client.exec('sudo -n /bin/cat', (error, channel) => {
      if (error) return reject(error);
      channel.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      channel.signal('TERM');
      channel.end('still here');
    });
  });
  assert.equal(await ended, 'still here');
});

test('a 60 MB upload is complete, and equal content on two Macs is in memory once', async t => {
  const content = randomBytes(60_000_000);
  const { client, test } = await connect(t);
  assert.equal((await exec(client, 'cat > big', content)).code, 0);
  const arrived = test.mac.files.read(m1, '/Users/m1/big');
  assert.ok(arrived.equals(content));
  const other = createTestMac({ name: 'mini-02' });
  other.mac.files.write(m1, '/Users/m1/big', content);
  assert.ok(other.mac.files.read(m1, '/Users/m1/big') === arrived);
});

test('a delayed SSH response arrives after the delay on the world’s clock', async t => {
  const { client, test } = await connect(t);
  test.faults.add({ kind: 'command', fault: { type: 'delay', by: seconds(30) }, times: 1 });
  let done = false;
  const running = exec(client, 'echo late').then(ended => {
    done = true;
    return ended.out;
  });
  await eventually(() => test.clock.pending > 0);
  assert.equal(done, false);
  await test.clock.advance(seconds(30));
  assert.equal(await running, 'late\n');
});

test('a Mac keeps its host key until it is reinstalled', () => {
  const { mac } = createTestMac();
  const again = createMac(mac.options, mac.around);
  assert.equal(hostKeyOf(mac), hostKeyOf(mac));
  assert.notEqual(hostKeyOf(mac), hostKeyOf(again));
  assert.equal(mac.files.stat(root, '/etc/ssh/ssh_host_ed25519_key').mode, 0o600);
});

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { secrets } from '@minifleet/kube';
import { fileVaultOf, networkOf } from '@minifleet/world/testing/mac';
import { macHosts } from '../cluster/resources.ts';
import type { Prompts } from '../context.ts';
import { terminalScreen } from '../terminal/testing/terminal-screen.ts';
import { type FleetCluster, fleetCluster } from '../testing/fleet-cluster.ts';
import { ADDRESS, type FreshMac, freshMac, HOST_KEY } from '../testing/fresh-mac.ts';
import { sshMac } from '../testing/ssh-mac.ts';

const preparing = (mac: FreshMac): string[] => [
  'prepare-fleet-host',
  ADDRESS,
  '-i',
  `${mac.folder}/key`,
  '--accept-new-host-key',
];

const typing = (password: string | undefined): Prompts => ({
  password: async () => password,
  confirm: async () => true,
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
let cluster: FleetCluster;
before(async () => {
  cluster = await fleetCluster();
  await cluster.macFleet('desk', 'desk');
  await cluster.client.create(secrets, {
    metadata: { namespace: 'fleet', name: 'desk-ssh' },
    data: { id_ed25519: base64('PRIVATE'), 'id_ed25519.pub': base64('ssh-ed25519 AAAAC3 fleet desk\n') },
  });
});

async function* piped(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('minifleet prepare-fleet-host', () => {
  test('prepare-fleet-host asks for the password and runs the provider’s own steps', async () => {
    using mac = freshMac();
    const screen = terminalScreen(100);
    const { code } = await mac.runWith({ output: screen, prompts: typing('correct horse') }, ...preparing(mac));
    assert.equal(code, 0, screen.text());
    assert.match(screen.text(), /^✓ sudo .*\n✓ auto-login .*\n✓ never-sleep .*\n/);
    assert.match(screen.text(), /is ready and needs no reboot\. The provider does the rest/);
    assert.equal((await mac.host.query(['/usr/bin/sudo', '-n', '/usr/bin/true'])).exitCode, 0);
    assert.deepEqual(mac.journal.gaps, []);
  });

  test('prepare-fleet-host reads the password from standard input or a file', async () => {
    using mac = freshMac();
    assert.equal((await mac.runWith({ input: piped('correct horse\n') }, ...preparing(mac))).code, 0);
    using other = freshMac();
    const file = other.put('password', 'correct horse\n');
    assert.equal((await other.run(...preparing(other), '--password-file', file)).code, 0);
  });

  test('prepare-fleet-host without a password is a usage error and changes nothing', async () => {
    using mac = freshMac();
    const { code, errors } = await mac.run(...preparing(mac));
    assert.equal(code, 2);
    assert.match(errors, /standard input: the input contains no password/);
    assert.equal(mac.mac.files.exists(mac.root, '/etc/kcpassword'), false);
  });

  test('prepare-fleet-host changes nothing on Ctrl-C at the prompt', async () => {
    using mac = freshMac();
    const { code, errors } = await mac.runWith({ prompts: typing(undefined) }, ...preparing(mac));
    assert.deepEqual([code, errors], [130, '']);
    assert.equal(mac.mac.files.exists(mac.root, '/etc/kcpassword'), false);
  });

  test('I07 prepare-fleet-host with a mistyped password fails and leaves the host unchanged', async () => {
    using mac = freshMac();
    await mac.runWith({ prompts: typing('correct horse') }, ...preparing(mac));
    const kept = mac.mac.files.read(mac.root, '/etc/kcpassword');
    const { code, output } = await mac.runWith({ prompts: typing('corect horse') }, ...preparing(mac));
    assert.equal(code, 1);
    assert.match(output, /the provided password for m1 is wrong.*nothing was written.*\(HOST_PASSWORD_WRONG\)/);
    assert.match(output, /is not ready; nothing was changed\n$/);
    assert.ok(mac.mac.files.read(mac.root, '/etc/kcpassword').equals(kept));
  });

  test('I06 host doctor reports a sealed password, and prepare-fleet-host repairs it', async () => {
    using mac = freshMac();
    await mac.runWith({ prompts: typing('correct horse') }, ...preparing(mac));
    const sealed = Buffer.from('41fa3742bed9b9d4a3b91f', 'hex');
    mac.mac.files.write(mac.root, '/etc/kcpassword', sealed, { mode: 0o600 });
    const doctor = ['host', 'doctor', ADDRESS, '-i', `${mac.folder}/key`];
    assert.match(
      (await mac.run(...doctor)).output,
      /auto-login password +✗ problem +sealed; the login window rejected/,
    );
    assert.equal((await mac.runWith({ prompts: typing('correct horse') }, ...preparing(mac))).code, 0);
    assert.equal((await mac.run(...doctor)).code, 0);
  });

  test('I34 prepare-fleet-host tries a wrong password once', async () => {
    using mac = freshMac();
    const { code, output } = await mac.runWith({ prompts: typing('wrong') }, ...preparing(mac));
    assert.equal(code, 1);
    assert.match(output, /sudo rejected the password of m1; provide the correct one, this one was tried once/);
    assert.equal((await mac.runWith({ prompts: typing('correct horse') }, ...preparing(mac))).code, 0);
  });

  test('prepare-fleet-host never prints a password', async () => {
    using mac = freshMac();
    for (const password of ['wr0ng-and-unique', 'correct horse']) {
      const { output, errors } = await mac.runWith({ prompts: typing(password) }, ...preparing(mac));
      assert.ok(!(output + errors).includes(password));
    }
  });

  test('I14 prepare-fleet-host prints recovery steps for a rejected key before it asks for a password', async () => {
    await using mac = await sshMac({ acceptsKey: false });
    let asked = 0;
    const prompts = { password: async () => `${asked++}`, confirm: async () => true };
    const argv = ['prepare-fleet-host', mac.address, '-i', mac.keyFile, '--accept-new-host-key'];
    const { code, output, errors } = await mac.runWith({ prompts }, ...argv);
    assert.equal(code, 1);
    assert.equal(asked, 0);
    const [line = ''] = /^ssh-rsa [\w+/=]+$/m.exec(output) ?? [];
    assert.ok(line.length > 300, output);
    assert.ok(output.includes(`echo '${line}' >> ~/.ssh/authorized_keys`));
    assert.match(output, /reinstall the host/);
    assert.match(errors, /SSH key rejected.*\(HOST_KEY_REFUSED\)/);
  });

  test('prepare-fleet-host --fleet lets the provider log in with the key of the fleet', async () => {
    using mac = freshMac();
    networkOf(mac.mac).listens = (host, port) => host === 'api.example.com' && port === 6_443;
    const { clock: _clock, ...context } = cluster.context;
    const prompts = typing('correct horse');
    const { code, output } = await mac.runWith({ ...context, prompts }, ...preparing(mac), '--fleet', 'desk');
    assert.equal(code, 0, output);
    assert.match(output, /authorized-key/);
    assert.match(
      mac.mac.files.read(mac.root, '/Users/m1/.ssh/authorized_keys').toString(),
      /^ssh-ed25519 AAAAC3 fleet desk \(minifleet\)$/m,
    );
    assert.ok(!output.includes('PRIVATE'));
  });

  test('prepare-fleet-host checks the Mac first, reports all failed checks together and changes nothing', async () => {
    using mac = freshMac();
    fileVaultOf(mac.mac).state = 'on';
    mac.mac.files.reserve(mac.mac.files.space.free - 20e9);
    const { clock: _clock, ...context } = cluster.context;
    const prompts = { password: () => Promise.reject(new Error('asked')), confirm: async () => true };
    const { code, output, errors } = await mac.runWith({ ...context, prompts }, ...preparing(mac), '--fleet', 'desk');
    assert.equal(code, 1);
    assert.match(output, /disk space.*20 GB of/);
    assert.match(output, /FileVault.*sudo fdesetup disable/s);
    assert.match(output, /API server.*cannot connect to api\.example\.com:6443/s);
    assert.match(errors, /disk space, FileVault, API server failed; nothing was changed.*\(MAC_UNSUITABLE\)/);
    assert.equal(mac.mac.files.exists(mac.root, '/etc/kcpassword'), false);
  });

  test('prepare-fleet-host --fleet changes nothing if the API server cannot reach the Mac or two MacHosts are this Mac', async () => {
    using mac = freshMac();
    networkOf(mac.mac).listens = (host, port) => host === 'api.example.com' && port === 6_443;
    const owned = { address: '203.0.113.7', port: 22, user: 'm1' };
    await cluster.host('mini-01', { source: { owned } });
    await cluster.host('mini-09', { source: { owned: { ...owned, address: '203.0.113.99', hostKey: HOST_KEY } } });
    const message = 'error trying to reach service: dial tcp 203.0.113.7:10250: i/o timeout';
    cluster.faults.failNext({ match: { path: /:10250\/proxy\/$/ }, status: 503, message });
    const { clock: _clock, ...context } = cluster.context;
    const prompts = { password: () => Promise.reject(new Error('asked')), confirm: async () => true };
    const { code, output, errors } = await mac.runWith({ ...context, prompts }, ...preparing(mac), '--fleet', 'desk');
    for (const name of ['mini-01', 'mini-09']) await cluster.client.delete(macHosts, { name });
    assert.equal(code, 1);
    assert.match(output, /several MacHosts are this Mac: mini-01 \(.*\), mini-09 \(it has the SSH host key/s);
    assert.match(errors, /port 10250, MacHost failed; nothing was changed.*\(MAC_UNSUITABLE\)/);
    assert.equal(mac.mac.files.exists(mac.root, '/etc/kcpassword'), false);
  });

  test('prepare-fleet-host --fleet of an unknown fleet changes nothing and lists the fleets', async () => {
    using mac = freshMac();
    const { clock: _clock, ...context } = cluster.context;
    const { code, errors } = await mac.runWith(context, ...preparing(mac), '--fleet', 'unknown');
    assert.equal(code, 1);
    assert.match(errors, /fleet unknown: no MacMachineTemplate.*found: fleet\/desk of pool desk.*FLEET_NOT_FOUND/);
    assert.equal(mac.mac.files.exists(mac.root, '/etc/kcpassword'), false);
  });

  test('the printed recovery commands restore the SSH login', async () => {
    await using mac = await sshMac({ acceptsKey: false });
    const argv = ['prepare-fleet-host', mac.address, '-i', mac.keyFile, '--accept-new-host-key'];
    const { output } = await mac.run(...argv);
    const { execute } = await import('@minifleet/world/mac');
    const pasted = /mkdir -p[^\n]*\n[^\n]*\n[^\n]*authorized_keys\n/.exec(output)?.[0] ?? '';
    assert.equal((await execute(mac.mac, pasted)).code, 0);
    const { code, output: after } = await mac.runWith({ input: piped('correct horse\n') }, ...argv);
    assert.equal(code, 0, after);
  });
});

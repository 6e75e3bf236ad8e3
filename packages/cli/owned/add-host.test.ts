import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { pods, secrets } from '@minifleet/kube';
import { execute } from '@minifleet/world/mac';
import { fileVaultOf, networkOf } from '@minifleet/world/testing/mac';
import { parse } from 'yaml';
import { macHosts } from '../cluster/resources.ts';
import type { CliContext } from '../context.ts';
import { type FleetCluster, fleetCluster, hostId } from '../testing/fleet-cluster.ts';
import { ADDRESS, type FreshMac, freshMac, HOST_KEY } from '../testing/fresh-mac.ts';
import { hostNameFrom } from './check-declared.ts';

let cluster: FleetCluster;
beforeEach(async () => {
  cluster = await fleetCluster();
  await cluster.macFleet('desk', 'desk-pool');
});

/** Request that the API server forwards to the Mac. */
const PROXY = /\/pods\/https:minifleet-route-\w+:10250\/proxy\/$/;

const PROMPTS = { password: async () => 'correct horse', confirm: async () => true };

/** A Mac of the desk that reaches the API server. */
function deskMac(options: Parameters<typeof freshMac>[0] = {}): FreshMac {
  const mac = freshMac(options);
  networkOf(mac.mac).listens = (host, port) => host === 'api.example.com' && port === 6_443;
  return mac;
}

/** The Mac has its own clock. */
const withoutClock = ({ clock: _clock, ...context }: Partial<CliContext>): Partial<CliContext> => context;
const run = (mac: FreshMac, context: Partial<CliContext>, ...argv: readonly string[]) =>
  mac.runWith({ ...withoutClock(cluster.context), prompts: PROMPTS, ...context }, 'host', ...argv);
const add = (mac: FreshMac, ...more: readonly string[]) =>
  run(mac, {}, 'add', ADDRESS, '-i', `${mac.folder}/key`, '--accept-new-host-key', '--fleet', 'desk', ...more);
const remove = (mac: FreshMac, ...more: readonly string[]) =>
  run(mac, {}, 'remove', 'mini-01', '-i', `${mac.folder}/key`, ...more);
const find = (name = 'mini-01') => cluster.client.find(macHosts, { name });
const keysOn = ({ mac, root }: FreshMac): string => {
  const path = '/Users/m1/.ssh/authorized_keys';
  return mac.files.exists(root, path) ? mac.files.read(root, path).toString() : '';
};

/** Nothing of the preparation is on the Mac, and nothing of the Mac in the cluster. */
async function assertUntouched(given: FreshMac): Promise<void> {
  const { mac, root } = given;
  for (const path of ['/etc/kcpassword', '/etc/sudoers.d/m1-nopasswd', '/var/db/minifleet'])
    assert.equal(mac.files.exists(root, path), false, path);
  assert.equal(keysOn(given), '');
  assert.equal(await find(), undefined);
  assert.equal(await cluster.client.find(secrets, { namespace: 'fleet', name: 'desk-ssh' }), undefined);
}

describe('minifleet host add', () => {
  test('host add checks and prepares a Mac, and declares it in the pool of the fleet under its own name', async () => {
    using mac = deskMac();
    const message = 'error trying to reach service: dial tcp 203.0.113.7:10250: connect: connection refused';
    cluster.faults.failNext({ match: { path: PROXY }, status: 503, message });
    const { code, output } = await add(mac);
    assert.equal(code, 0, output);
    assert.match(output, /This changes on the Mac:\n.*authorized_keys of m1: the SSH key of fleet fleet\/desk/);
    assert.match(output, /machosts\.minifleet\.dev\/mini-01 applied; .*minifleet get host mini-01 --watch/s);
    assert.match(output, /^The API server reaches the Mac on port 10250 for logs and exec\. The provider must reach/m);
    const owned = { address: '203.0.113.7', port: 22, user: 'm1', hostKey: HOST_KEY };
    assert.deepEqual((await find())?.spec, { source: { owned }, pool: 'desk-pool', claimEpoch: 0 });
    assert.equal((await mac.host.query(['/usr/bin/sudo', '-n', '/usr/bin/true'])).exitCode, 0);
    assert.deepEqual(mac.journal.gaps, []);
  });

  test('host add creates the SSH key of a fleet that has none, and the Mac accepts it', async () => {
    using mac = deskMac();
    const { output } = await add(mac);
    const { data = {}, metadata } = await cluster.client.get(secrets, { namespace: 'fleet', name: 'desk-ssh' });
    const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
    assert.match(text('id_ed25519'), /^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
    assert.equal(keysOn(mac), `${text('id_ed25519.pub').trim()} (minifleet)\n`);
    assert.equal(metadata.labels?.['clusterctl.cluster.x-k8s.io/move'], '');
    assert.ok(!output.includes(text('id_ed25519').split('\n')[1] ?? 'no key'));
  });

  test('host add again changes nothing and asks for no password', async () => {
    using mac = deskMac();
    await add(mac);
    const keys = keysOn(mac);
    const prompts = { ...PROMPTS, password: () => Promise.reject(new Error('asked for a password')) };
    const argv = ['add', ADDRESS, '-i', `${mac.folder}/key`, '--pool', 'desk-pool'];
    const { code, errors } = await run(mac, { prompts }, ...argv);
    assert.equal(code, 0, errors);
    assert.equal(keysOn(mac), keys);
  });

  test('host add --dry-run checks the Mac, prints the MacHost and changes nothing', async () => {
    using mac = deskMac();
    const { code, output } = await add(mac, '--dry-run', '--name', 'mini-07');
    assert.equal(code, 0, output);
    assert.deepEqual(parse(output.slice(output.indexOf('apiVersion:'))), {
      apiVersion: 'minifleet.dev/v1alpha1',
      kind: 'MacHost',
      metadata: { name: 'mini-07' },
      spec: {
        source: { owned: { address: '203.0.113.7', port: 22, user: 'm1', hostKey: HOST_KEY } },
        pool: 'desk-pool',
      },
    });
    await assertUntouched(mac);
  });

  test('host add changes nothing if the user declines, or cannot be asked', async () => {
    using mac = deskMac();
    const argv = ['add', ADDRESS, '-i', `${mac.folder}/key`, '--accept-new-host-key', '--fleet', 'desk'];
    const declining = { ...PROMPTS, confirm: async () => false };
    assert.equal((await run(mac, { prompts: declining }, ...argv)).code, 130);
    const { code, errors } = await run(mac, { prompts: undefined }, ...argv);
    assert.equal(code, 2);
    assert.match(errors, /pass --yes. Nothing was changed/);
    await assertUntouched(mac);
  });

  test('host add reports all failed checks of an old Intel Mac together and changes nothing', async () => {
    using mac = freshMac({ intel: true, macos: { version: '12.7.6', build: '21H1320' }, diskBytes: 80e9 });
    fileVaultOf(mac.mac).state = 'encrypting';
    const window = '/Library/Preferences/com.apple.loginwindow';
    await execute(mac.mac, `defaults write ${window} autoLoginUser anna`, { user: mac.root });
    const { code, output, errors } = await add(mac);
    assert.equal(code, 1);
    assert.match(output, /processor.*x86_64, expected arm64/);
    assert.match(output, /macOS.*12\.7\.6, expected 13\.5 or later/);
    assert.match(output, /disk space.*expected at least 100 GB/);
    assert.match(output, /FileVault is On\. Encryption in progress/);
    assert.match(output, /anna is logged in or has auto-login, expected m1/s);
    assert.match(output, /cannot connect to api\.example\.com:6443/);
    assert.match(errors, /processor, macOS, disk space, FileVault, screen, API server failed; nothing was changed/);
    await assertUntouched(mac);
  });

  test('host add refuses an account that is not an administrator', async () => {
    using mac = deskMac();
    mac.faults.add({
      kind: 'process',
      detail: /^\/usr\/bin\/id -Gn/,
      fault: { type: 'fail', code: 0, message: 'staff' },
    });
    const { code, output } = await add(mac);
    assert.equal(code, 1);
    assert.match(output, /account.*m1 is not an administrator/);
    await assertUntouched(mac);
  });

  test('host add refuses a second MacHost with the address of another, and the name of another Mac', async () => {
    using mac = deskMac();
    const owned = { address: '203.0.113.7', port: 22, user: 'm1' };
    await cluster.host('mini-09', { source: { owned } });
    const twice = await add(mac);
    assert.equal(twice.code, 1);
    assert.match(twice.output, /MacHost mini-09 is this Mac: it has the address 203\.0\.113\.7:22/);
    await cluster.client.delete(macHosts, { name: 'mini-09' });
    await cluster.host('mini-01', { source: { owned: { ...owned, address: '203.0.113.8' } } });
    const named = await add(mac);
    assert.equal(named.code, 1);
    assert.match(named.output, /MacHost mini-01 already has the address 203\.0\.113\.8:22.*--name/s);
    assert.equal((await find())?.spec.source.owned?.address, '203.0.113.8');
    assert.equal(keysOn(mac), '');
  });

  test('host add refuses a second MacHost for a Mac that was declared under its name or has the same host key', async () => {
    using mac = deskMac();
    const resolveName = async () => ['203.0.113.7'];
    const argv = ['add', ADDRESS, '-i', `${mac.folder}/key`, '--accept-new-host-key', '--fleet', 'desk'];
    const owned = { address: 'mini-09.example.com', port: 22, user: 'm1' };
    await cluster.host('mini-09', { source: { owned } });
    const named = await run(mac, { resolveName }, ...argv);
    assert.equal(named.code, 1, named.output);
    assert.match(named.output, /MacHost mini-09 is this Mac: its address mini-09\.example\.com:22 is 203\.0\.113\.7/);
    assert.match(named.output, /with the address mini-09\.example\.com:22 and --name mini-09.*minifleet host remove/s);
    await cluster.client.delete(macHosts, { name: 'mini-09' });
    await cluster.host('mini-09', { source: { owned: { ...owned, hostKey: HOST_KEY } } });
    const keyed = await run(mac, { resolveName: async () => [] }, ...argv);
    assert.equal(keyed.code, 1, keyed.output);
    assert.match(keyed.output, /MacHost mini-09 is this Mac: it has the SSH host key SHA256:47DEQpj8/);
    await assertUntouched(mac);
  });

  test('host add does not change the address of a MacHost that declares this Mac by name', async () => {
    using mac = deskMac();
    const owned = { address: 'mini-01.example.com', port: 22, user: 'm1', hostKey: HOST_KEY };
    await cluster.host('mini-01', { source: { owned } });
    const argv = ['add', ADDRESS, '-i', `${mac.folder}/key`, '--accept-new-host-key', '--fleet', 'desk'];
    const { code, output } = await run(mac, { resolveName: async () => [] }, ...argv);
    assert.equal(code, 1);
    assert.match(output, /MacHost mini-01 already has the address mini-01\.example\.com:22 and is this Mac/);
    assert.match(output, /run this command with the address mini-01\.example\.com:22/);
    assert.equal((await find())?.spec.source.owned?.address, 'mini-01.example.com');
  });

  test('host add changes nothing if the API server cannot reach the Mac', async () => {
    using mac = deskMac();
    const message = 'error trying to reach service: dial tcp 203.0.113.7:10250: connect: no route to host';
    cluster.faults.failNext({ match: { path: PROXY }, status: 503, message });
    const { code, output, errors } = await add(mac);
    assert.equal(code, 1);
    assert.match(output, /port 10250.*the API server cannot reach 203\.0\.113\.7:10250.*allow TCP 10250/s);
    assert.match(errors, /port 10250 failed; nothing was changed/);
    await assertUntouched(mac);
    assert.deepEqual((await cluster.client.list(pods)).items, []);
  });

  test('host add names the connections that it could not check', async () => {
    using mac = deskMac();
    cluster.faults.failNext({ match: { path: PROXY }, status: 403, reason: 'Forbidden', message: 'forbidden' });
    const { code, output } = await add(mac);
    assert.equal(code, 0, output);
    assert.match(output, /port 10250.*\? unknown.*not checked from the API server/s);
    assert.match(output, /^The API server must reach the Mac on port 10250 for logs and exec \(not checked\)/m);
  });

  test('host add needs a fleet that exists and is unambiguous', async () => {
    using mac = deskMac();
    const argv = ['add', ADDRESS, '-i', `${mac.folder}/key`];
    assert.match((await run(mac, {}, ...argv)).errors, /pass --fleet <name> or --pool <name>/);
    assert.match(
      (await run(mac, {}, ...argv, '--pool', 'lab')).errors,
      /pool lab: no MacMachineTemplate.*FLEET_NOT_FOUND/,
    );
    await cluster.macFleet('other', 'desk-pool');
    const { errors } = await run(mac, {}, ...argv, '--pool', 'desk-pool');
    assert.match(errors, /pool desk-pool: several fleets match.*choose one with --fleet/);
    await assertUntouched(mac);
  });

  test('host add with a wrong password declares no MacHost', async () => {
    using mac = deskMac();
    const prompts = { ...PROMPTS, password: async () => 'wrong' };
    const argv = ['add', ADDRESS, '-i', `${mac.folder}/key`, '--accept-new-host-key', '--fleet', 'desk'];
    const { code, output } = await run(mac, { prompts }, ...argv);
    assert.equal(code, 1);
    assert.match(output, /sudo rejected the password of m1/);
    assert.equal(await find(), undefined);
    assert.equal((await add(mac)).code, 0);
  });

  test('the name of a MacHost comes from the host name of the Mac', () => {
    assert.deepEqual(['Annas-Mac-mini', 'mini-01.local', '-Büro 2-'].map(hostNameFrom), [
      'annas-mac-mini',
      'mini-01.local',
      'b-ro-2',
    ]);
  });
});

describe('minifleet host remove', () => {
  test('host remove takes back what host add did, and deletes the MacHost', async () => {
    using mac = deskMac();
    await add(mac);
    const { code, output } = await remove(mac);
    assert.equal(code, 0, output);
    assert.match(output, /machosts\.minifleet\.dev\/mini-01 deleted; the Mac has left Minifleet/);
    for (const path of ['/etc/kcpassword', '/etc/sudoers.d/m1-nopasswd', '/var/db/minifleet'])
      assert.equal(mac.mac.files.exists(mac.root, path), false, path);
    assert.equal(keysOn(mac), '');
    assert.equal(await find(), undefined);
  });

  test('host remove of a Mac with a pending restart names no flags that the command does not have', async () => {
    using mac = deskMac();
    await add(mac);
    const list = 'AllowedEthernetLocalNetworkAddresses -array 10.0.0.0/8';
    const domain = '/var/root/Library/Preferences/com.apple.network.local-network';
    assert.equal((await execute(mac.mac, `defaults write ${domain} ${list}`, { user: mac.root })).code, 0);
    const { code, output } = await remove(mac);
    assert.equal(code, 0, output);
    assert.match(output, /1 waiting for a reboot/);
    assert.doesNotMatch(output, /--allow|--reboot/);
  });

  test('host remove refuses a Mac that a machine holds, and a server of Scaleway', async () => {
    using mac = deskMac();
    await add(mac);
    const consumerRef = { apiGroup: 'x', kind: 'MacMachine', namespace: 'fleet', name: 'desk-a', uid: 'u' };
    const body = { spec: { consumerRef, claimEpoch: 1 } };
    await cluster.client.patch(macHosts, { name: 'mini-01' }, { type: 'merge', body });
    assert.match((await remove(mac)).errors, /machine fleet\/desk-a holds it; .*nothing was changed \(HOST_IN_USE\)/);
    await cluster.host(hostId(1));
    assert.match((await run(mac, {}, 'remove', hostId(1))).errors, /server of Scaleway.*\(HOST_NOT_OWNED\)/);
    assert.ok(mac.mac.files.exists(mac.root, '/etc/kcpassword'));
    assert.ok(await find());
  });

  test('host remove after an interruption deletes the MacHost of a Mac that is clean already', async () => {
    using mac = deskMac();
    await add(mac);
    const declared = await find();
    await remove(mac);
    await cluster.host('mini-01', declared?.spec ?? {});
    assert.equal((await remove(mac)).code, 0);
    assert.equal(await find(), undefined);
  });

  test('host remove --dry-run and a declined question change nothing', async () => {
    using mac = deskMac();
    await add(mac);
    assert.match((await remove(mac, '--dry-run')).output, /This removes from the Mac at 203\.0\.113\.7/);
    const declining = { ...PROMPTS, confirm: async () => false };
    assert.equal((await run(mac, { prompts: declining }, 'remove', 'mini-01')).code, 130);
    assert.equal((await find())?.spec.quarantine, undefined);
    assert.ok(mac.mac.files.exists(mac.root, '/etc/kcpassword'));
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type MacHost, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { type Client, connectClient, readKubeconfig } from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { commandLine } from '../testing/command-line.ts';
import { hostId } from '../testing/fleet-cluster.ts';
import { installCrds } from '../testing/install-crds.ts';
import { macHosts, machines } from './resources.ts';

const id = hostId(1);

describe('fleet commands against a real API server', () => {
  let cluster: LocalCluster;
  let client: Client;
  before(async () => {
    cluster = await startLocalCluster({ components: ['etcd', 'kube-apiserver'] });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    await installCrds({ client, clock: systemClock, signal: new AbortController().signal });
  });
  after(async () => {
    await client.close();
    await cluster.stop();
  });

  const run = (...argv: readonly string[]) =>
    commandLine({ clock: systemClock, environment: { KUBECONFIG: cluster.kubeconfigs.admin.path } })(...argv);
  const host = (name = id): Promise<MacHost> => client.get(macHosts, { name });

  test('a free host is quarantined and released by its server id', async () => {
    const source = { scaleway: { zone: 'fr-par-1', serverID: id } };
    await client.create(macHosts, { metadata: { name: id }, spec: { source, pool: 'tuist-pool-', claimEpoch: 0 } });
    const quarantined = await run('quarantine', id, '--reason', 'its fan is loud');
    assert.equal(quarantined.code, 0, quarantined.errors);
    assert.equal((await host()).spec.quarantine?.reason, 'its fan is loud');
    const record = { since: '2030-01-01T00:00:00Z', reasons: ['HostStepFailed'] };
    const body = { status: { quarantine: record } };
    await client.patch(macHosts, { name: id }, { type: 'merge', body }, { subresource: 'status' });
    const released = await run('release', id);
    assert.equal(released.code, 0, released.errors);
    const { spec, status } = await host();
    assert.deepEqual([spec.quarantine, status?.quarantine], [undefined, undefined]);
  });

  test('host add applies an owned Mac; a value of another field manager is not overwritten', async () => {
    const add = (address: string) =>
      run('host', 'add', 'mini-01', '--address', address, '--user', 'admin', '--pool', 'desk');
    assert.equal((await add('192.0.2.11')).code, 0);
    assert.equal((await add('192.0.2.12')).code, 0);
    const body = { spec: { source: { owned: { address: '192.0.2.13' } } } };
    await client.patch(macHosts, { name: 'mini-01' }, { type: 'merge', body }, { fieldManager: 'gitops' });
    const { code, errors } = await add('192.0.2.14');
    assert.equal(code, 1);
    assert.match(errors, /conflict with "gitops"/);
    assert.deepEqual((await host('mini-01')).spec.source, {
      owned: { address: '192.0.2.13', port: 22, user: 'admin' },
    });
  });

  test('a validation error of the API server is printed unchanged', async () => {
    const { code, errors } = await run('quarantine', id, '--reason', 'x'.repeat(1025));
    assert.equal(code, 1);
    assert.match(errors, /spec\.quarantine\.reason/);
  });

  test('detach --dry-run changes nothing, and detach deletes the machine', async () => {
    const spec = { claimRef: { name: id, epoch: 1 } } as ScalewayAppleSiliconMachine['spec'];
    const key = { namespace: 'default', name: 'runners-a' };
    await client.create(machines, { metadata: { ...key, finalizers: [names.finalizers.machine] }, spec });
    const dry = await run('detach', 'runners-a', '--dry-run');
    assert.equal(dry.code, 0, dry.errors);
    assert.equal((await client.get(machines, key)).spec.hostRelease, 'Return');
    const command = run('detach', 'runners-a');
    await eventually(async () => (await client.get(machines, key)).metadata.deletionTimestamp);
    assert.equal((await client.get(machines, key)).spec.hostRelease, 'Retain');
    await client.patch(machines, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    const { code, output, errors } = await command;
    assert.equal(code, 0, errors);
    assert.match(output, /default\/runners-a deleted/);
  });
});

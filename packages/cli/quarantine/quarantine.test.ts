import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { macHost, names } from '@minifleet/api';
import { nodes } from '@minifleet/kube';
import { type FleetCluster, fleetCluster, hostId } from '../testing/fleet-cluster.ts';

const hosts = macHost.resource;
const id = hostId(1);
const kind = { apiGroup: names.groups.infrastructure, kind: 'ScalewayAppleSiliconMachine' };
const consumerRef = { ...kind, namespace: 'fleet', name: 'runners-a', uid: 'u' };
const held = { consumerRef, claimEpoch: 2 };

let cluster: FleetCluster;
beforeEach(async () => {
  cluster = await fleetCluster();
});
const host = (name = id) => cluster.client.find(hosts, { name });

describe('minifleet quarantine', () => {
  test('quarantine of a held host leaves its machine unchanged and prints the next commands', async () => {
    await cluster.host(id, held);
    const { code, output } = await cluster.run('quarantine', id, '--reason', 'its fan is loud');
    assert.equal(code, 0);
    const made = await host();
    assert.equal(made?.spec.quarantine?.reason, 'its fan is loud');
    assert.deepEqual(made?.spec.consumerRef, consumerRef);
    assert.equal(made?.metadata.annotations?.[names.annotations.requestedBy], 'anna@laptop');
    assert.match(output, /fleet\/runners-a keeps using the host/);
    assert.match(output, new RegExp(`minifleet release ${id}`));
  });

  for (const name of ['runners-a', 'the-node', id.toUpperCase()]) {
    test(`quarantine finds the host by ${name}`, async () => {
      await cluster.host(id, held);
      await cluster.machine('runners-a', { spec: { claimRef: { name: id, epoch: 2 } } });
      const providerID = `${names.providerIDScheme}://fr-par-1/${id}`;
      await cluster.client.create(nodes, { metadata: { name: 'the-node' }, spec: { providerID } });
      assert.equal((await cluster.run('quarantine', name, '--reason', 'loud')).code, 0);
      assert.equal((await host())?.spec.quarantine?.reason, 'loud');
    });
  }

  test('quarantine of a free or owned host needs no machine', async () => {
    for (const name of [id, 'mini-01']) {
      await cluster.host(name);
      const { code, output } = await cluster.run('quarantine', name, '--reason', 'loud');
      assert.equal(code, 0);
      assert.match(output, /\(pool tuist-pool-\) quarantined; no machine claims it\.\nTo end the quarantine/);
      const made = await host(name);
      assert.deepEqual([made?.spec.quarantine?.reason, made?.spec.consumerRef], ['loud', undefined]);
    }
  });

  test('quarantine finds the host of a machine that no longer exists', async () => {
    await cluster.host(id, held);
    assert.equal((await cluster.run('quarantine', 'runners-a', '-n', 'fleet', '--reason', 'loud')).code, 0);
    assert.equal((await host())?.spec.quarantine?.reason, 'loud');
    assert.equal((await cluster.run('quarantine', 'runners-a', '-n', 'other', '--reason', 'loud')).code, 1);
  });

  test('quarantine of a server without a MacHost is refused with the command that lists such servers', async () => {
    const { code, errors } = await cluster.run('quarantine', id, '--reason', 'loud');
    assert.equal(code, 1);
    assert.match(errors, /not found .*minifleet get hosts --unmanaged` \(HOST_NOT_FOUND\)/);
  });

  test('a second quarantine changes the reason and keeps the start time', async () => {
    await cluster.host(id, { quarantine: { reason: 'loud', since: '2030-01-01T00:00:00Z' } });
    await cluster.run('quarantine', id, '--reason', 'hot');
    assert.deepEqual((await host())?.spec.quarantine, { reason: 'hot', since: '2030-01-01T00:00:00Z' });
  });

  test('quarantine refuses a missing reason, unknown and ambiguous names, and a machine without a host', async () => {
    assert.equal((await cluster.run('quarantine', id)).code, 2);
    const unknown = await cluster.run('quarantine', 'runners-x', '--reason', 'loud');
    assert.equal(unknown.code, 1);
    assert.match(unknown.errors, /host runners-x not found.*\(HOST_NOT_FOUND\)/);
    await cluster.machine('runners-a');
    const hostless = await cluster.run('quarantine', 'runners-a', '--reason', 'loud');
    assert.match(hostless.errors, /fleet\/runners-a: the machine has no host.*\(MACHINE_WITHOUT_HOST\)/);
    await cluster.machine('runners-a', { namespace: 'other' });
    const two = await cluster.run('quarantine', 'runners-a', '--reason', 'loud');
    assert.match(two.errors, /\(fleet\/runners-a, other\/runners-a\); choose one with -n/);
    assert.equal(await host(), undefined);
  });
});

describe('minifleet release', () => {
  test('release ends an operator’s quarantine and prints its reason', async () => {
    await cluster.host(id);
    await cluster.run('quarantine', id, '--reason', 'its fan is loud');
    const { code, output } = await cluster.run('release', id);
    assert.equal(code, 0);
    assert.match(output, /quarantined by anna@laptop \(its fan is loud\)/);
    const after = await host();
    assert.equal(after?.spec.quarantine, undefined);
    assert.equal(after?.metadata.annotations?.[names.annotations.requestedBy], undefined);
  });

  test('release ends a quarantine after failures and keeps the failure record', async () => {
    const made = await cluster.host(id);
    const at = '2030-01-01T00:00:00Z';
    const failures = [{ step: 'tart', reason: 'HostStepFailed', count: 3, lastTime: at }];
    const status = { failures, quarantine: { since: at, reasons: ['HostStepFailed'] } };
    await cluster.client.update(hosts, { ...made, status }, { subresource: 'status' });
    const { output } = await cluster.run('release', id);
    assert.match(output, /repeated failures \(HostStepFailed\)/);
    assert.deepEqual((await host())?.status, { failures });
  });

  test('release of a held host prints that its machine keeps it', async () => {
    await cluster.host(id, { ...held, quarantine: { reason: 'loud' } });
    assert.match((await cluster.run('release', id)).output, /released from quarantine; fleet\/runners-a keeps it\./);
  });

  test('release leaves a host without a quarantine unchanged', async () => {
    await cluster.host(id, held);
    const before = await host();
    const { code, output } = await cluster.run('release', id);
    assert.deepEqual([code, output], [0, `${id} is not quarantined; nothing was changed\n`]);
    assert.deepEqual(await host(), before);
  });
});

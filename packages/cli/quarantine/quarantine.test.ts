import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { hostClaim, names } from '@minifleet/api';
import { nodes } from '@minifleet/kube';
import { type FleetCluster, fleetCluster, hostId } from '../testing/fleet-cluster.ts';

const claims = hostClaim.resource;
const id = hostId(1);
const machineRef = { namespace: 'fleet', name: 'runners-a', uid: 'u' };
const held = { machineRef, claimEpoch: 2 };

let cluster: FleetCluster;
beforeEach(async () => {
  cluster = await fleetCluster();
});
const claim = () => cluster.client.find(claims, { name: id });

describe('minifleet quarantine', () => {
  test('quarantine of a claimed host leaves its machine unchanged and prints the next commands', async () => {
    await cluster.claim(id, held);
    const { code, output } = await cluster.run('quarantine', id, '--reason', 'its fan is loud');
    assert.equal(code, 0);
    const made = await claim();
    assert.equal(made?.spec.quarantine?.reason, 'its fan is loud');
    assert.deepEqual(made?.spec.machineRef, machineRef);
    assert.equal(made?.metadata.annotations?.[names.annotations.requestedBy], 'anna@laptop');
    assert.match(output, /fleet\/runners-a keeps using the host/);
    assert.match(output, new RegExp(`minifleet release ${id}`));
  });

  for (const name of ['runners-a', 'the-node', id.toUpperCase()]) {
    test(`quarantine finds the host by ${name}`, async () => {
      await cluster.claim(id, held);
      await cluster.machine('runners-a', { spec: { claimRef: { name: id, epoch: 2 } } });
      const providerID = `${names.providerIDScheme}://fr-par-1/${id}`;
      await cluster.client.create(nodes, { metadata: { name: 'the-node' }, spec: { providerID } });
      assert.equal((await cluster.run('quarantine', name, '--reason', 'loud')).code, 0);
      assert.equal((await claim())?.spec.quarantine?.reason, 'loud');
    });
  }

  test('quarantine of an unclaimed host requires --zone and creates a claim without a machine', async () => {
    const without = await cluster.run('quarantine', id, '--reason', 'loud');
    assert.equal(without.code, 2);
    assert.match(without.errors, /add --zone, for example --zone fr-par-1/);
    assert.equal(await claim(), undefined);
    assert.equal((await cluster.run('quarantine', id, '--reason', 'loud', '--zone', 'nl-ams-1')).code, 0);
    const made = await claim();
    assert.deepEqual([made?.spec.zone, made?.spec.machineRef, made?.spec.claimEpoch], ['nl-ams-1', undefined, 1]);
  });

  test('quarantine refuses a host whose machine has no claim yet, so that the machine keeps it', async () => {
    await cluster.machine('runners-a', { spec: { providerID: `${names.providerIDScheme}://fr-par-1/${id}` } });
    for (const name of ['runners-a', id]) {
      const { code, errors } = await cluster.run('quarantine', name, '--reason', 'loud', '--zone', 'fr-par-1');
      assert.equal(code, 1);
      assert.match(errors, /fleet\/runners-a: its host .*nothing was changed \(HOST_NOT_CLAIMED_YET\)/);
    }
    assert.equal(await claim(), undefined);
  });

  test('a second quarantine changes the reason and keeps the start time', async () => {
    await cluster.claim(id, { quarantine: { reason: 'loud', since: '2030-01-01T00:00:00Z' } });
    await cluster.run('quarantine', id, '--reason', 'hot');
    assert.deepEqual((await claim())?.spec.quarantine, { reason: 'hot', since: '2030-01-01T00:00:00Z' });
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
    assert.equal(await claim(), undefined);
  });
});

describe('minifleet release', () => {
  test('release ends an operator’s quarantine and prints its reason', async () => {
    await cluster.claim(id);
    await cluster.run('quarantine', id, '--reason', 'its fan is loud');
    const { code, output } = await cluster.run('release', id);
    assert.equal(code, 0);
    assert.match(output, /quarantined by anna@laptop \(its fan is loud\)/);
    const after = await claim();
    assert.equal(after?.spec.quarantine, undefined);
    assert.equal(after?.metadata.annotations?.[names.annotations.requestedBy], undefined);
  });

  test('release ends a quarantine after failures and keeps the failure record', async () => {
    const made = await cluster.claim(id);
    const at = '2030-01-01T00:00:00Z';
    const failures = [{ step: 'tart', reason: 'HostStepFailed', count: 3, lastTime: at }];
    const status = { failures, quarantine: { since: at, reasons: ['HostStepFailed'] } };
    await cluster.client.update(claims, { ...made, status }, { subresource: 'status' });
    const { output } = await cluster.run('release', id);
    assert.match(output, /repeated failures \(HostStepFailed\)/);
    assert.deepEqual((await claim())?.status, { failures });
  });

  test('release leaves a host without a quarantine unchanged', async () => {
    await cluster.claim(id, held);
    const before = await claim();
    const { code, output } = await cluster.run('release', id);
    assert.deepEqual([code, output], [0, `${id} is not quarantined; nothing was changed\n`]);
    assert.deepEqual(await claim(), before);
  });
});

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { ConditionNote } from '@minifleet/kube';
import { ownerMachines } from '../cluster/machines.ts';
import { macHosts, machines, macMachines } from '../cluster/resources.ts';
import { commandLine } from '../testing/command-line.ts';
import { type FleetCluster, fleetCluster, hostId } from '../testing/fleet-cluster.ts';

const id = hostId(1);
const spec = { claimRef: { name: id, epoch: 1 } };
const key = { namespace: 'fleet', name: 'runners-a' };
const releasing = (reason: string): ConditionNote => ({ type: 'Deleting', status: 'True', reason, message: 'words' });

let cluster: FleetCluster;
beforeEach(async () => {
  cluster = await fleetCluster();
});
const isDeleting = async () => (await cluster.get('runners-a'))?.metadata.deletionTimestamp;
const removeFinalizers = () =>
  cluster.client.patch(machines, key, { type: 'merge', body: { metadata: { finalizers: null } } });

describe('minifleet detach', () => {
  test('detach sets hostRelease to Retain, deletes the machine and prints its progress', async () => {
    await cluster.machine('runners-a', { spec });
    const body = { spec: { quarantine: { reason: 'Retained by fleet/runners-a' } } };
    await cluster.client.patch(macHosts, { name: id }, { type: 'merge', body });
    let shown = '';
    const output = { write: (text: string) => (shown += text) };
    const command = commandLine({ ...cluster.context, output })('detach', 'runners-a');
    await eventually(() => shown.includes('deletion requested'));
    assert.equal((await cluster.get('runners-a'))?.spec.hostRelease, 'Retain');
    assert.equal(await cluster.client.find(ownerMachines, key), undefined);
    await cluster.status('runners-a', {}, [releasing('QuiescingHost')]);
    await removeFinalizers();
    assert.equal((await command).code, 0);
    assert.equal(
      shown,
      `Detaching fleet/runners-a from host ${id}; the host stays unchanged
  deletion requested
  QuiescingHost: words
fleet/runners-a deleted. Host ${id}: Retained by fleet/runners-a
`,
    );
  });

  test('detach deletes the machine object itself if it has no Cluster API Machine', async () => {
    await cluster.machine('runners-a', { spec, ownerless: true });
    const command = cluster.run('detach', 'runners-a', '-n', 'fleet');
    await eventually(isDeleting);
    await removeFinalizers();
    assert.equal((await command).code, 0);
  });

  test('detach works on a MacMachine and an owned Mac', async () => {
    await cluster.machine('desk-a', { kind: 'MacMachine', spec: { claimRef: { name: 'mini-01', epoch: 1 } } });
    const command = cluster.run('detach', 'desk-a');
    const find = () => cluster.client.find(macMachines, { namespace: 'fleet', name: 'desk-a' });
    await eventually(async () => (await find())?.metadata.deletionTimestamp);
    assert.equal((await find())?.spec.hostRelease, 'Retain');
    const body = { metadata: { finalizers: null } };
    await cluster.client.patch(macMachines, { namespace: 'fleet', name: 'desk-a' }, { type: 'merge', body });
    const { code, output } = await command;
    assert.equal(code, 0);
    assert.match(output, /Detaching fleet\/desk-a from host mini-01; the host stays unchanged/);
    assert.match(output, /desk-a deleted\. Host mini-01: not quarantined; a machine can claim it\n$/);
  });

  test('detach --dry-run prints the changes and the replacement, and changes nothing', async () => {
    const before = await cluster.machine('runners-a', { spec, fleet: 'runners' });
    const { code, output } = await cluster.run('detach', 'runners-a', '--dry-run');
    assert.equal(code, 0);
    assert.match(output, /set hostRelease: Retain/);
    assert.match(output, /delete its Cluster API Machine runners-a.*runners creates another machine/);
    assert.match(output, /Nothing was changed\.\n$/);
    assert.deepEqual(await cluster.get('runners-a'), before);
  });

  test('detach --keep-machine only sets hostRelease to Retain', async () => {
    await cluster.machine('runners-a', { spec });
    const { code, output } = await cluster.run('detach', 'runners-a', '--keep-machine');
    assert.equal(code, 0);
    assert.match(output, /set to hostRelease: Retain/);
    const after = await cluster.get('runners-a');
    assert.deepEqual([after?.spec.hostRelease, after?.metadata.deletionTimestamp], ['Retain', undefined]);
  });

  test('detach refuses a machine without a host and prints the condition', async () => {
    await cluster.machine('runners-a');
    const reason = 'NoHostAvailable';
    await cluster.status('runners-a', {}, [{ type: 'HostClaimed', status: 'False', reason, message: 'pool is empty' }]);
    const { code, errors } = await cluster.run('detach', 'runners-a');
    assert.equal(code, 1);
    assert.match(
      errors,
      /fleet\/runners-a: the machine has no host \(NoHostAvailable: pool is empty\).*nothing was changed/,
    );
    assert.equal((await cluster.get('runners-a'))?.spec.hostRelease, 'Return');
  });

  test('detach refuses a machine that already returns its host, because it may be wiped', async () => {
    await cluster.machine('runners-a', { spec });
    await cluster.client.delete(machines, key);
    await cluster.status('runners-a', {}, [releasing('ReturningHost')]);
    const { code, errors } = await cluster.run('detach', 'runners-a');
    assert.equal(code, 1);
    assert.match(errors, /ReturningHost: words.*can no longer be kept \(HOST_RELEASE_IN_PROGRESS\)/);
  });

  test('detach fails after --timeout with the deletion status; the deletion continues', async () => {
    await cluster.machine('runners-a', { spec });
    const command = cluster.run('detach', 'runners-a', '--timeout', '5m');
    await eventually(isDeleting);
    await cluster.status('runners-a', {}, [releasing('WaitingForVendor')]);
    await cluster.clock.advance(minutes(5));
    const { code, errors } = await command;
    assert.equal(code, 1);
    assert.match(errors, /not deleted after 5m \(WaitingForVendor: words\).*\(DETACH_TIMEOUT\)/);
  });

  test('detach refuses an unknown machine and an invalid --timeout', async () => {
    assert.match(
      (await cluster.run('detach', 'runners-x')).errors,
      /machine runners-x not found.*\(MACHINE_NOT_FOUND\)/,
    );
    const { code, errors } = await cluster.run('detach', 'runners-a', '--timeout', 'soon');
    assert.equal(code, 2);
    assert.match(errors, /use a duration such as 90s, 30m or 1h/);
  });
});

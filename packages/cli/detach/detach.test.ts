import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { minutes } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import type { ConditionNote } from '@minifleet/kube';
import { ownerMachines } from '../cluster/machines.ts';
import { machines } from '../cluster/resources.ts';
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
const letGo = () => cluster.client.patch(machines, key, { type: 'merge', body: { metadata: { finalizers: null } } });

describe('minifleet detach', () => {
  test('the machine is told to keep its host, then deleted, and its way is shown until it is gone', async () => {
    await cluster.machine('runners-a', { spec });
    await cluster.claim(id, { quarantine: { reason: 'Retained by fleet/runners-a' } });
    let shown = '';
    const output = { write: (text: string) => (shown += text) };
    const command = commandLine({ ...cluster.context, output })('detach', 'runners-a');
    await eventually(() => shown.includes('has been asked for'));
    assert.equal((await cluster.get('runners-a'))?.spec.hostRelease, 'Retain');
    assert.equal(await cluster.client.find(ownerMachines, key), undefined);
    await cluster.status('runners-a', {}, [releasing('QuiescingHost')]);
    await letGo();
    assert.equal((await command).code, 0);
    assert.equal(
      shown,
      `fleet/runners-a will leave its host ${id} as it is
  its deletion has been asked for
  QuiescingHost: words
fleet/runners-a is gone. Its host ${id}: Retained by fleet/runners-a
`,
    );
  });

  test('a machine whose Machine is gone is deleted itself', async () => {
    await cluster.machine('runners-a', { spec, ownerless: true });
    const command = cluster.run('detach', 'runners-a', '-n', 'fleet');
    await eventually(isDeleting);
    await letGo();
    assert.equal((await command).code, 0);
  });

  test('--dry-run says what would be done, what takes its place, and changes nothing', async () => {
    const before = await cluster.machine('runners-a', { spec, fleet: 'runners' });
    const { code, output } = await cluster.run('detach', 'runners-a', '--dry-run');
    assert.equal(code, 0);
    assert.match(output, /set hostRelease: Retain/);
    assert.match(output, /delete its Machine runners-a.*runners makes another machine/);
    assert.match(output, /Nothing was changed\.\n$/);
    assert.deepEqual(await cluster.get('runners-a'), before);
  });

  test('--keep-machine only sets that the host is kept', async () => {
    await cluster.machine('runners-a', { spec });
    const { code, output } = await cluster.run('detach', 'runners-a', '--keep-machine');
    assert.equal(code, 0);
    assert.match(output, /lives on/);
    const after = await cluster.get('runners-a');
    assert.deepEqual([after?.spec.hostRelease, after?.metadata.deletionTimestamp], ['Retain', undefined]);
  });

  test('a machine without a host is refused, in the words of its condition', async () => {
    await cluster.machine('runners-a');
    const reason = 'NoHostAvailable';
    await cluster.status('runners-a', {}, [{ type: 'HostClaimed', status: 'False', reason, message: 'pool is empty' }]);
    const { code, errors } = await cluster.run('detach', 'runners-a');
    assert.equal(code, 1);
    assert.match(errors, /fleet\/runners-a holds no host \(NoHostAvailable: pool is empty\).*nothing was done/);
    assert.equal((await cluster.get('runners-a'))?.spec.hostRelease, 'Return');
  });

  test('a machine that is giving its host back already is refused: it may be wiped by now', async () => {
    await cluster.machine('runners-a', { spec });
    await cluster.client.delete(machines, key);
    await cluster.status('runners-a', {}, [releasing('ReturningHost')]);
    const { code, errors } = await cluster.run('detach', 'runners-a');
    assert.equal(code, 1);
    assert.match(errors, /ReturningHost: words.*too late to keep it \(HOST_GOES_BACK_ALREADY\)/);
  });

  test('a deletion that does not end in time is told with where it is, and goes on', async () => {
    await cluster.machine('runners-a', { spec });
    const command = cluster.run('detach', 'runners-a', '--timeout', '5m');
    await eventually(isDeleting);
    await cluster.status('runners-a', {}, [releasing('WaitingForVendor')]);
    await cluster.clock.advance(minutes(5));
    const { code, errors } = await command;
    assert.equal(code, 1);
    assert.match(errors, /not gone after 5m \(WaitingForVendor: words\).*\(DETACH_NOT_OVER\)/);
  });

  test('an unknown machine and a time that is none are refused', async () => {
    assert.match(
      (await cluster.run('detach', 'runners-x')).errors,
      /no machine is called runners-x.*\(MACHINE_NOT_FOUND\)/,
    );
    const { code, errors } = await cluster.run('detach', 'runners-a', '--timeout', 'soon');
    assert.equal(code, 2);
    assert.match(errors, /use a duration such as 90s, 30m or 1h/);
  });
});

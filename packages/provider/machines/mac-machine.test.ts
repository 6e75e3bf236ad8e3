import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { quiescePlan, releasePlan } from '@minifleet/host';
import { nodes } from '@minifleet/kube';
import { hosts, type MachineBench, machineBench } from './testing/machine-bench.ts';

describe('a MacMachine', () => {
  let bench: MachineBench;
  afterEach(() => bench.stop());

  const open = async (): Promise<void> => {
    bench = await machineBench({ kind: 'MacMachine' });
    await bench.cluster();
    await bench.ownedHost('mini-01', 'desk');
  };
  const ready = async (): Promise<void> => {
    await open();
    await bench.machine('a', { pool: 'desk' });
    await bench.join('a');
  };
  const changes = () =>
    bench.vendor.calls.map(({ call }) => call).filter(call => ['rename', 'reinstall', 'reboot'].includes(call));

  test('a MacMachine claims an owned Mac of its pool and becomes a Ready Node with the providerID machost://<name>', async () => {
    await ready();
    const { spec, status, metadata } = await bench.get('a');
    assert.deepEqual(spec.claimRef, { name: 'mini-01', epoch: 1 });
    assert.equal(spec.providerID, 'machost://mini-01');
    assert.equal(status?.failureDomain, undefined);
    assert.deepEqual(metadata.finalizers, [names.finalizers.macMachine]);
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True');
    const host = await bench.host('mini-01');
    assert.equal(host?.status?.state, 'Serving');
    assert.equal(host?.spec.consumerRef?.kind, 'MacMachine');
    assert.deepEqual(changes(), []);
  });

  test('a MacMachine of another pool waits, and reports the pool without a zone', async () => {
    await open();
    await bench.machine('a', { pool: 'lab' });
    assert.equal((await bench.condition('a', 'HostClaimed'))?.message, 'pool lab has no hosts');
  });

  test('a deleted MacMachine removes what it put on the owned Mac, which stays in its pool without a reinstallation', async () => {
    await ready();
    const started = bench.jobs.requests.length;
    await bench.delete('a');
    assert.equal(await bench.find('a'), undefined);
    const removal = bench.jobs.requests.slice(started);
    assert.equal(removal.length, 1);
    assert.equal(removal[0]?.plan.fingerprint, releasePlan().fingerprint);
    assert.equal(removal[0]?.only, undefined);
    assert.equal(await bench.api.client.find(nodes, { name: 'a' }), undefined);
    const host = await bench.host('mini-01');
    assert.equal(host?.status?.state, 'Available');
    assert.equal(host?.spec.pool, 'desk');
    assert.equal(host?.spec.quarantine, undefined);
    assert.equal(bench.effects.includes('forget credentials'), false, 'the operator wrote them');
    assert.deepEqual(changes(), []);
    await bench.machine('b', { pool: 'desk' });
    assert.deepEqual((await bench.get('b')).spec.claimRef, { name: 'mini-01', epoch: 2 });
  });

  test('a deleted MacMachine with hostRelease Retain leaves the owned Mac in quarantine', async () => {
    await open();
    await bench.machine('a', { pool: 'desk', hostRelease: 'Retain' });
    await bench.join('a');
    await bench.delete('a');
    assert.equal(bench.jobs.requests.at(-1)?.plan.fingerprint, quiescePlan().fingerprint);
    const host = await bench.host('mini-01');
    assert.equal(host?.status?.state, 'Quarantined');
    assert.match(host?.spec.quarantine?.reason ?? '', /^Retained by fleet\/a/);
  });

  test('a MacMachine finds its owned Mac again after the MacHost was deleted by force and declared again', async () => {
    await ready();
    const jobs = bench.jobs.requests.length;
    await bench.patchHost('mini-01', { metadata: { finalizers: null } });
    await bench.api.client.delete(hosts, { name: 'mini-01' });
    await bench.settle();
    assert.equal((await bench.condition('a', 'HostClaimed'))?.reason, 'ClaimLost');
    await bench.ownedHost('mini-01', 'desk');
    await bench.advance(minutes(6));
    const host = await bench.host('mini-01');
    assert.equal(host?.spec.consumerRef?.name, 'a');
    assert.equal(host?.spec.claimEpoch, 2);
    assert.equal(host?.status?.state, 'Serving');
    assert.ok(bench.jobs.requests.slice(jobs).every(({ allow }) => allow !== 'running VMs'));
  });
});

import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { hostClaim, names } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { HOST_UNREACHABLE } from '@minifleet/host';
import { removeFinalizer } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import { machines } from '../claims/testing/claims-bench.ts';
import { capiMachines, clusters } from '../cluster-api/kinds.ts';
import { type MachineBench, type MachineBenchOptions, machineBench } from './testing/machine-bench.ts';

const { pausedAnnotation, deleteForMoveAnnotation, blockMoveAnnotation } = names.clusterApi;
const host = memoryId(1);

describe('a machine that is paused, moved or deleted', () => {
  let bench: MachineBench;
  afterEach(() => bench.stop());

  const ready = async (options?: MachineBenchOptions, spec = {}): Promise<void> => {
    bench = await machineBench(options);
    await bench.cluster();
    await bench.machine('a', spec);
    await bench.join('a');
    bench.effects.length = 0;
  };
  const isBack = () => bench.vendor.find(host).name.startsWith('tuist-pool-');
  const wipes = () => bench.vendor.calls.filter(({ call }) => call === 'reinstall').length;
  const annotate = (annotations: Record<string, string | null>) => bench.patch('a', { metadata: { annotations } });
  const pauseCluster = async (paused: boolean): Promise<void> => {
    await bench.api.client.patch(
      clusters,
      { namespace: 'fleet', name: 'mac' },
      { type: 'merge', body: { spec: { paused } } },
    );
    await bench.settle();
  };
  const startJob = async (): Promise<string> => {
    const { uid = '' } = (await bench.get('a')).metadata;
    bench.work.put({ namespace: 'fleet', name: 'a' }, uid, { kind: 'running' });
    await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
    return uid;
  };
  const claim = () => bench.api.client.find(hostClaim.resource, { name: host });

  test('goes back to its pool, authority first, wiped, and its claim last', async () => {
    let held: unknown;
    await ready({
      onVendorCall: async ({ call }, { api }) => {
        if (call === 'reinstall') held = (await api.client.get(hostClaim.resource, { name: host })).spec.machineRef;
      },
    });
    await bench.delete('a');
    assert.equal(await bench.find('a'), undefined);
    assert.equal(isBack(), true);
    assert.equal(wipes(), 1);
    assert.ok(held, 'the claim held while the wipe was asked for');
    assert.equal(await claim(), undefined);
    assert.deepEqual(bench.effects, ['withdraw token', 'forget credentials']);
    assert.deepEqual(bench.events().slice(-2), ['Releasing', 'Released']);
  });

  for (const [what, set] of [
    ['the annotation pauses it', () => annotate({ [pausedAnnotation]: '' })],
    ['its Machine is gone', () => bench.patch('a', { metadata: { ownerReferences: null } })],
  ] as const) {
    test(`goes back to its pool when ${what}`, async () => {
      await ready();
      await set();
      await bench.delete('a');
      assert.equal(await bench.find('a'), undefined);
      assert.equal(isBack(), true);
    });
  }

  test('is not touched while its Cluster is paused, and goes on when it no longer is', async () => {
    await ready();
    await startJob();
    assert.equal((await bench.get('a')).metadata.annotations?.[blockMoveAnnotation], '');
    await pauseCluster(true);
    assert.deepEqual(bench.work.cancelled, ['Cluster mac is paused']);
    assert.equal((await bench.get('a')).metadata.annotations?.[blockMoveAnnotation], undefined);
    await bench.delete('a');
    assert.equal((await bench.condition('a', 'Paused'))?.status, 'True');
    assert.equal(wipes(), 0);
    assert.deepEqual(bench.effects, ['cancel']);
    await pauseCluster(false);
    assert.equal(await bench.find('a'), undefined);
    assert.equal(isBack(), true);
  });

  test('is not touched when clusterctl moved it: neither its host, nor its claim, nor its object', async () => {
    await ready();
    await startJob();
    await annotate({ [deleteForMoveAnnotation]: '', [blockMoveAnnotation]: null });
    const { resourceVersion } = (await bench.get('a')).metadata;
    await bench.delete('a');
    const left = await bench.get('a');
    assert.notEqual(left.metadata.resourceVersion, resourceVersion, 'the deletion');
    assert.equal(bench.vendor.find(host).name, 'a');
    assert.ok((await claim())?.spec.machineRef);
    assert.deepEqual(bench.effects, ['cancel']);
    await removeFinalizer({ client: bench.api.client, resource: machines }, left, names.finalizers.machine);
    await bench.settle();
    assert.equal(await bench.find('a'), undefined);
    assert.equal(bench.vendor.find(host).name, 'a');
  });

  test('is not touched when clusterctl moved Machine and Cluster without it, and goes back once its Cluster is there again', async () => {
    await ready();
    await pauseCluster(true);
    // With its owner it goes by itself, a moment before the Cluster does.
    await bench.api.client.delete(capiMachines, { namespace: 'fleet', name: 'a' });
    await bench.api.client.delete(clusters, { namespace: 'fleet', name: 'mac' });
    await bench.settle();
    const { reason, message } = (await bench.condition('a', 'Deleting')) ?? {};
    assert.equal(reason, 'LeftBehind');
    assert.match(message ?? '', /Cluster mac .*finalizer/);
    assert.deepEqual([bench.vendor.find(host).name, wipes()], ['a', 0]);
    assert.ok((await claim())?.spec.machineRef);
    await bench.cluster();
    assert.equal(await bench.find('a'), undefined);
    assert.equal(isBack(), true);
  });

  test('that is paused by its annotation keeps its host, and nothing runs there', async () => {
    await ready();
    await startJob();
    await annotate({ [pausedAnnotation]: '' });
    assert.deepEqual(bench.effects, ['cancel']);
    assert.equal((await bench.condition('a', 'Ready'))?.status, 'True', 'it goes on serving');
    assert.equal(bench.vendor.find(host).name, 'a');
    assert.ok(bench.events().includes('Paused'));
  });

  test('that never had a host is gone at once', async () => {
    bench = await machineBench({ servers: [] });
    await bench.cluster();
    await bench.machine('a');
    await bench.delete('a');
    assert.equal(await bench.find('a'), undefined);
    assert.deepEqual(bench.effects, ['withdraw token', 'forget credentials']);
  });

  test('that took a host and did not live to write it down gives that host back', async () => {
    await ready();
    await pauseCluster(true);
    await bench.patch('a', { spec: { claimRef: null, providerID: null } });
    await bench.delete('a');
    await pauseCluster(false);
    assert.equal(await bench.find('a'), undefined);
    assert.equal(isBack(), true);
  });

  test('whose host vanished at the vendor is gone, and so is its claim', async () => {
    await ready();
    bench.vendor.remove(host);
    await bench.delete('a');
    assert.equal(await bench.find('a'), undefined);
    assert.equal(await claim(), undefined);
  });

  test('I13 whose host is another’s is gone, and the host is not touched', async () => {
    await ready();
    await pauseCluster(true);
    const machineRef = { namespace: 'fleet', name: 'b', uid: 'b' };
    const body = { spec: { machineRef: null } };
    await bench.api.client.patch(hostClaim.resource, { name: host }, { type: 'merge', body });
    const taken = { spec: { machineRef, claimEpoch: 2 } };
    await bench.api.client.patch(hostClaim.resource, { name: host }, { type: 'merge', body: taken });
    await bench.delete('a');
    await pauseCluster(false);
    assert.equal(await bench.find('a'), undefined);
    assert.equal(bench.vendor.find(host).name, 'a');
    assert.equal(wipes(), 0);
    assert.equal((await claim())?.spec.machineRef?.name, 'b');
    assert.ok(bench.events().includes('ReleaseSkipped'));
  });

  test('waits for a vendor that does not answer, says so, and holds its claim', async () => {
    await ready();
    bench.vendor.failNext({ call: 'reinstall', when: 'before' });
    await bench.delete('a');
    assert.equal((await bench.condition('a', 'Deleting'))?.reason, 'WaitingForVendor');
    assert.match((await bench.condition('a', 'Ready'))?.message ?? '', /^Deleting WaitingForVendor: /);
    assert.ok((await claim())?.spec.machineRef);
    await bench.clock.advance(minutes(1));
    await bench.settle();
    assert.equal(await bench.find('a'), undefined);
    assert.equal(bench.events().filter(reason => reason === 'Releasing').length, 1);
  });

  test('says at which step it is stuck when something unexpected happens there', async () => {
    await ready();
    bench.parts.credentials.forget = async () => {
      throw new Error('password hunter2');
    };
    await bench.delete('a');
    const { reason, message } = (await bench.condition('a', 'Deleting')) ?? {};
    assert.equal(reason, 'RevokingCredentials');
    assert.doesNotMatch(message ?? '', /hunter2/);
    assert.equal(bench.vendor.find(host).name, 'a');
  });

  test('that somebody else holds up has our part done, and says so', async () => {
    await ready();
    const { finalizers = [] } = (await bench.get('a')).metadata;
    await bench.patch('a', { metadata: { finalizers: [...finalizers, 'example.dev/mine'] } });
    await bench.delete('a');
    assert.deepEqual((await bench.get('a')).metadata.finalizers, ['example.dev/mine']);
    assert.equal((await bench.condition('a', 'Deleting'))?.reason, 'DeletionCompleted');
    assert.equal(isBack(), true);
    assert.equal(bench.events().filter(reason => reason === 'Released').length, 1);
  });

  describe('as a builder', () => {
    const builder = { ghActionsRunner: { ghOrg: 'acme' } };

    test('lets its job end before the host goes', async () => {
      await ready({}, builder);
      bench.runners.now = 'busy';
      await bench.delete('a');
      assert.equal((await bench.condition('a', 'Deleting'))?.reason, 'RemovingRunner');
      assert.deepEqual(bench.effects, []);
      bench.runners.now = 'offline';
      await bench.clock.advance(minutes(1));
      await bench.settle();
      assert.equal(await bench.find('a'), undefined);
      assert.deepEqual(bench.effects, ['remove runner', 'withdraw token', 'forget credentials']);
    });

    test('is not held up by a forge that will never answer', async () => {
      await ready({}, builder);
      const GONE = defineError('GONE', { retry: 'operator', reason: 'SecretMissing', text: 'the Secret is gone' });
      bench.runners.remove = async () => {
        throw GONE();
      };
      await bench.delete('a');
      assert.equal(await bench.find('a'), undefined);
      assert.ok(bench.events().includes('RunnerNotRemoved'));
    });
  });

  describe('with hostRelease Retain', () => {
    const retain = { hostRelease: 'Retain' } as const;
    const uid = async () => (await bench.get('a')).metadata.uid ?? '';

    test('takes the agent off first, while it still has the credentials, and leaves the host as it is', async () => {
      await ready({}, retain);
      await bench.delete('a');
      assert.equal((await bench.condition('a', 'Deleting'))?.reason, 'QuiescingHost');
      assert.deepEqual(bench.effects, ['start converge']);
      const [request] = bench.work.requests;
      assert.ok(request?.only?.includes('agent-job'));
      assert.ok(request?.scope.found.server && request.scope.found.access && request.scope.found.fleetKey);
      await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
      assert.deepEqual(bench.effects, ['start converge'], 'another pass leaves it running');
      bench.work.end(await uid(), {
        kind: 'converged',
        report: { outcome: 'converged', steps: [], changes: 1, notes: [], attempts: {} },
        hostKey: undefined,
        facts: { addresses: [] },
      });
      await bench.settle();
      assert.equal(await bench.find('a'), undefined);
      assert.deepEqual(bench.effects, ['start converge', 'withdraw token', 'forget credentials']);
      assert.equal(wipes(), 0);
      assert.equal(isBack(), false);
      assert.ok((await claim())?.spec.quarantine);
    });

    test('tries again what failed, begins anew after a restart, and lets go when its time is over', async () => {
      await ready({}, retain);
      await bench.delete('a');
      bench.work.end(await uid(), { kind: 'failed', error: HOST_UNREACHABLE({ host: 'a' }), hostKey: undefined });
      await bench.settle();
      assert.match(
        (await bench.condition('a', 'Deleting'))?.message ?? '',
        /could not be removed from the host: .*reach/,
      );
      await bench.clock.advance(minutes(1));
      await bench.settle();
      assert.deepEqual(bench.effects, ['start converge', 'start converge']);
      bench.work.forget(await uid());
      await bench.patch('a', { metadata: { labels: { touched: 'yes' } } });
      assert.deepEqual(bench.effects, ['start converge', 'start converge', 'start converge']);
      await bench.clock.advance(minutes(61));
      await bench.patch('a', { metadata: { labels: { touched: 'again' } } });
      assert.equal(await bench.find('a'), undefined);
      assert.ok(bench.events().includes('NotQuiesced'));
    });

    test('does not learn its credentials again once they are forgotten', async () => {
      await ready({ claims: { release: async () => ({ kind: 'waiting', why: 'it is busy' }) } }, retain);
      await bench.delete('a');
      bench.work.end(await uid(), {
        kind: 'converged',
        report: { outcome: 'converged', steps: [], changes: 1, notes: [], attempts: {} },
        hostKey: undefined,
        facts: { addresses: [] },
      });
      await bench.settle();
      await bench.clock.advance(minutes(3));
      await bench.settle();
      assert.equal(bench.work.requests.length, 1);
    });
  });
});

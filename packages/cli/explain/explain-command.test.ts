import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { events } from '@minifleet/kube';
import { fleetCluster, hostId } from '../testing/fleet-cluster.ts';

describe('minifleet explain', () => {
  test('explain finds a host by machine name or server id and prints its last warning event', async () => {
    const { run, machine: make, status, client } = await fleetCluster();
    const made = await make('mac-a', { spec: { claimRef: { name: hostId(1), epoch: 1 } } });
    await status('mac-a', {}, [
      { type: 'HostBootstrapped', status: 'False', reason: 'HostUnreachable', message: 'connection timed out' },
    ]);
    await client.create(events, {
      metadata: { namespace: 'fleet', name: 'e1' },
      ...{
        type: 'Warning',
        reason: 'HostUnreachable',
        note: 'it was restarted',
        action: 'Look',
        eventTime: '2030-01-01T00:00:00.000000Z',
      },
      ...{ reportingController: 'minifleet.dev/provider', reportingInstance: 'a' },
      regarding: { kind: made.kind, namespace: 'fleet', name: 'mac-a', uid: made.metadata.uid ?? '' },
    });
    for (const name of ['host/mac-a', `host/${hostId(1)}`]) {
      const { code, output, errors } = await run('explain', name);
      assert.equal(code, 0, errors);
      assert.match(output, /connection timed out/);
      assert.match(output, /The last warning was .* ago: it was restarted\./);
      assert.match(output, /\nNext: docs\/runbooks\/host-unreachable\.md\n$/);
    }
  });

  test('explain describes a MacHost without a machine; kind and name may be two arguments', async () => {
    const { run, host } = await fleetCluster();
    await host(hostId(2), { quarantine: { reason: 'its fan is loud' } });
    for (const words of [[`host/${hostId(2)}`], ['mac', hostId(2)], [`machosts.minifleet.dev/${hostId(2)}`]]) {
      assert.match((await run('explain', ...words)).output, /its fan is loud/);
    }
  });

  test('explain does not attribute a host to a machine that only names it', async () => {
    const { run, machine, hostStatus } = await fleetCluster();
    await machine('mac-a', { spec: { claimRef: { name: hostId(1), epoch: 1 } } });
    await machine('mac-b', { spec: { claimRef: { name: hostId(1), epoch: 1 } } });
    await hostStatus(hostId(1), { state: 'Restarting' });
    assert.match((await run('explain', 'host/mac-a')).output, /has been Restarting/);
    assert.doesNotMatch((await run('explain', 'host/mac-b')).output, /Restarting/);
    assert.match((await run('explain', `host/${hostId(1)}`)).output, /fleet\/mac-a is new/);
  });

  test('explain reports an unknown object and an unknown kind with the correct usage', async () => {
    const { run } = await fleetCluster();
    const none = await run('explain', 'runnerpool/missing');
    assert.deepEqual(
      [none.code, none.errors],
      [1, 'minifleet: runnerpools "missing" not found; see `kubectl get rpool -A` (OBJECT_NOT_FOUND)\n'],
    );
    const byKubectl = await run('explain', 'runnerpools.tuist.dev/missing');
    assert.equal(byKubectl.errors, none.errors, 'what -o name prints can be explained');
    const wrong = await run('explain', 'mac-1');
    assert.equal(wrong.code, 2);
    assert.match(
      wrong.errors,
      /mac-1: not of the form <kind>\/<name>; use for example host\/mac-1 \(kinds: host, fleet, guest/,
    );
  });
});

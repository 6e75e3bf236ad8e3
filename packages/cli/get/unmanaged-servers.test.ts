import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { formatUnmanagedServers, UNMANAGED_SERVERS_LABEL, UNMANAGED_SERVERS_NAME } from '@minifleet/api';
import { configMaps } from '@minifleet/kube';
import { type FleetCluster, fleetCluster } from '../testing/fleet-cluster.ts';

let cluster: FleetCluster;
beforeEach(async () => {
  cluster = await fleetCluster();
});

test('get hosts --unmanaged distinguishes an empty list from a list that no provider has written', async () => {
  const missing = await cluster.run('get', 'hosts', '--unmanaged');
  assert.equal(missing.code, 1);
  assert.match(missing.errors, /no ConfigMap has the label .*minifleet doctor \(UNMANAGED_SERVERS_UNKNOWN\)/);
  await cluster.client.create(configMaps, {
    metadata: { namespace: 'fleet', name: UNMANAGED_SERVERS_NAME, labels: { [UNMANAGED_SERVERS_LABEL]: 'true' } },
    data: formatUnmanagedServers([]),
  });
  const none = await cluster.run('get', 'hosts', '--unmanaged');
  assert.deepEqual(none, { code: 0, output: '', errors: 'No unmanaged servers found.\n' });
});

test('get --unmanaged refuses other kinds, --watch, -n and -l', async () => {
  assert.match((await cluster.run('get', 'fleets', '--unmanaged')).errors, /use minifleet get hosts --unmanaged/);
  for (const option of [['--watch'], ['-n', 'fleet'], ['-l', 'a=b']])
    assert.equal((await cluster.run('get', 'hosts', '--unmanaged', ...option)).code, 2);
});

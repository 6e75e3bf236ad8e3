import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { parse } from 'yaml';
import { macHosts } from '../cluster/resources.ts';
import { type FleetCluster, fleetCluster, hostId } from '../testing/fleet-cluster.ts';

const KEY = 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU';
const OPTIONS = ['--address', '192.0.2.11', '--user', 'admin', '--pool', 'desk'];

let cluster: FleetCluster;
beforeEach(async () => {
  cluster = await fleetCluster();
});
const add = (name: string, ...more: readonly string[]) => cluster.run('host', 'add', name, ...OPTIONS, ...more);
const find = () => cluster.client.find(macHosts, { name: 'mini-01' });

describe('minifleet host add', () => {
  test('host add applies the MacHost of an owned Mac; applied again, it changes the address', async () => {
    const { code, output } = await add('mini-01', '--host-key', KEY, '--type', 'M2-L');
    assert.equal(code, 0);
    assert.match(output, /^machosts\.minifleet\.dev\/mini-01 applied; machines of pool desk can claim it\./);
    const owned = { address: '192.0.2.11', port: 22, user: 'admin', hostKey: KEY, type: 'M2-L' };
    assert.deepEqual((await find())?.spec, { source: { owned }, pool: 'desk', claimEpoch: 0 });
    assert.equal((await add('mini-01', '--address', 'mini-01.example.com', '--port', '2222')).code, 0);
    const { source } = (await find())?.spec ?? {};
    assert.deepEqual(source, { owned: { address: 'mini-01.example.com', port: 2222, user: 'admin' } });
  });

  test('host add leaves the fields of the machine that holds the Mac unchanged', async () => {
    await add('mini-01');
    const consumerRef = { apiGroup: 'x', kind: 'MacMachine', namespace: 'fleet', name: 'desk-a', uid: 'u' };
    const body = { spec: { consumerRef, claimEpoch: 3 } };
    await cluster.client.patch(macHosts, { name: 'mini-01' }, { type: 'merge', body });
    await add('mini-01', '--address', '192.0.2.12');
    const { spec } = (await find()) ?? {};
    assert.deepEqual([spec?.consumerRef, spec?.claimEpoch], [consumerRef, 3]);
  });

  test('host add --dry-run prints the MacHost without a cluster', async () => {
    const { code, output } = await add('mini-01', '--dry-run');
    assert.equal(code, 0);
    assert.deepEqual(parse(output), {
      apiVersion: 'minifleet.dev/v1alpha1',
      kind: 'MacHost',
      metadata: { name: 'mini-01' },
      spec: { source: { owned: { address: '192.0.2.11', port: 22, user: 'admin' } }, pool: 'desk' },
    });
    assert.equal(await find(), undefined);
  });

  test('host add refuses the name of a Scaleway server, invalid values and missing options', async () => {
    await cluster.host(hostId(1));
    for (const [name, option, expected] of [
      [hostId(1), [], /must not look like a server id; use a name such as mini-01/],
      ['mini-01', ['--address', 'm1@192.0.2.11'], /address must be an IP address or a DNS name/],
      ['mini-01', ['--host-key', 'SHA256:short'], /hostKey must be the SHA256 fingerprint/],
    ] as const) {
      const { code, errors } = await add(name, ...option);
      assert.equal(code, 2);
      assert.match(errors, expected);
    }
    assert.equal((await cluster.run('host', 'add', 'mini-01', '--address', '192.0.2.11')).code, 2);
    assert.ok((await cluster.client.get(macHosts, { name: hostId(1) })).spec.source.scaleway);
  });
});

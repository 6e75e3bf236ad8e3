import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MacHost } from '@minifleet/api';
import { fakeClock } from '@minifleet/clock/testing';
import { secrets } from '@minifleet/kube';
import { fleetCluster, hostId } from '../testing/fleet-cluster.ts';
import { checkUnique, type DeclaredMac, type MacIdentity, readDeclaredMacs, sameMac, undecided } from './same-mac.ts';

const KEY = 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU';
const at = (host: string, more: Partial<MacIdentity> & { port?: number } = {}): MacIdentity => {
  const { port = 22, ...identity } = more;
  return { place: { host, port }, addresses: [host], ...identity };
};
const declared = (name: string, mac: MacIdentity): DeclaredMac => ({ name, rented: false, ...mac });

describe('identity of a Mac', () => {
  const mac = at('192.0.2.11', { hostKey: KEY });
  for (const [what, other, why] of [
    ['the same address', at('192.0.2.11'), 'it has the address 192.0.2.11:22'],
    [
      'a name that resolves to the address',
      at('mini-01.local', { addresses: ['2001:db8::1', '192.0.2.11'] }),
      'its address mini-01.local:22 is 192.0.2.11',
    ],
    ['the same host key at another address', at('192.0.2.99', { hostKey: KEY }), `it has the SSH host key ${KEY}`],
    ['the same host key without an address', { addresses: [], hostKey: KEY }, `it has the SSH host key ${KEY}`],
    ['the same address with another port', at('192.0.2.11', { port: 2_222 }), undefined],
    ['another address without a host key', at('192.0.2.12'), undefined],
    ['a name that does not resolve', at('mini-01.local', { addresses: [] }), undefined],
  ] as const) {
    test(`${what} is ${why === undefined ? 'not shown to be' : ''} the same Mac`.replaceAll('  ', ' '), () => {
      assert.equal(sameMac(mac, other), why);
    });
  }

  test('two Macs whose host keys are unknown are not the same because of that', () => {
    assert.equal(sameMac(at('192.0.2.11'), at('192.0.2.12')), undefined);
  });

  test('two MacHosts of one Mac are a problem that names both and the next action', () => {
    const twice = [declared('mini-01', at('mini-01.local', { addresses: ['192.0.2.11'] })), declared('mini-09', mac)];
    const { state, message, fix } = checkUnique(mac, twice);
    assert.equal(state, 'problem');
    assert.match(message, /mini-01 \(its address mini-01\.local:22 is 192\.0\.2\.11\), mini-09 \(it has the address/);
    assert.match(fix ?? '', /kubectl delete machost mini-09/);
    assert.equal(checkUnique(mac, twice.slice(1)).state, 'ok');
    assert.equal(checkUnique(mac, []).state, 'ok');
  });

  test('MacHosts of which too little is known are listed with the reason', () => {
    const unreadable = 'you are not allowed to get Secrets in namespace fleet';
    assert.equal(
      undecided([
        { ...declared('a', at('192.0.2.12')), unreadable },
        declared('b', at('b.local', { addresses: [] })),
        declared('c', at('c.local', { addresses: [], hostKey: KEY })),
        declared('d', at('192.0.2.13')),
      ]),
      `not compared: the host keys of a (${unreadable}); b (the address does not resolve on this computer)`,
    );
    assert.equal(undecided([declared('d', at('192.0.2.13'))]), undefined);
  });
});

describe('identities of MacHosts', () => {
  const read = async (hosts: readonly MacHost[], cluster: Awaited<ReturnType<typeof fleetCluster>>) => {
    const resolveName = async (name: string) => (name === 'mini-01.local' ? ['192.0.2.11'] : []);
    return readDeclaredMacs(hosts, { client: cluster.client, clock: fakeClock(), namespace: 'fleet', resolveName });
  };
  const pin = (cluster: Awaited<ReturnType<typeof fleetCluster>>, namespace: string, host: string) =>
    cluster.client.create(secrets, {
      metadata: { namespace, name: `${host}-credentials` },
      data: { 'host-fingerprint': Buffer.from(`${KEY}\n`).toString('base64') },
    });

  test('the host key of a MacHost is that of its spec, or the one that the provider pinned in its Secret', async () => {
    const cluster = await fleetCluster();
    const owned = { address: 'mini-01.local', port: 22, user: 'm1' };
    const held = { consumerRef: { apiGroup: 'x', kind: 'MacMachine', namespace: 'other', name: 'a', uid: 'u' } };
    const hosts = [
      await cluster.host('mini-01', { source: { owned: { ...owned, hostKey: KEY } } }),
      await cluster.host('mini-02', { source: { owned } }),
      await cluster.host('mini-03', { source: { owned }, ...held }),
      await cluster.host('mini-04', { source: { owned } }),
      await cluster.host(hostId(1), held),
    ];
    await pin(cluster, 'fleet', 'mini-02');
    await pin(cluster, 'other', 'mini-03');
    await pin(cluster, 'other', hostId(1));
    const found = await read(hosts, cluster);
    assert.deepEqual(
      found.map(({ hostKey }) => hostKey),
      [KEY, KEY, KEY, undefined, KEY],
    );
    assert.deepEqual(found[0]?.addresses, ['192.0.2.11']);
  });

  test('the address of a rented Mac is the one of the vendor', async () => {
    const cluster = await fleetCluster();
    const host = await cluster.host(hostId(1));
    const addresses = [
      { type: 'ExternalIP' as const, address: '192.0.2.21' },
      { type: 'InternalIP' as const, address: '10.0.0.1' },
    ];
    const [found] = await read([{ ...host, status: { addresses } }], cluster);
    assert.deepEqual([found?.rented, found?.place], [true, { host: '192.0.2.21', port: 22 }]);
  });

  test('a Secret that the user may not read is reported and not an error', async () => {
    const cluster = await fleetCluster();
    cluster.faults.failNext({ match: { path: /secrets/ }, status: 403, reason: 'Forbidden' });
    const [found] = await read([await cluster.host('mini-01')], cluster);
    assert.equal(found?.unreadable, 'you are not allowed to get Secrets in namespace fleet');
  });
});

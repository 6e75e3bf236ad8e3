import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MacHost, macHost } from '@minifleet/api';
import { Secret } from '@minifleet/secret';
import type { Server } from '@minifleet/vendors';
import { memoryId, memoryServer } from '@minifleet/vendors/testing';
import { compareListing, poolOfName, type ZoneListing } from './compare-listing.ts';

const host = (number: number, state?: 'Missing'): MacHost =>
  macHost.withDefaults({
    apiVersion: macHost.apiVersion,
    kind: 'MacHost',
    metadata: { name: memoryId(number) },
    spec: { source: { scaleway: { zone: 'fr-par-1', serverID: memoryId(number) } }, pool: 'pool-' },
    ...(state === undefined ? {} : { status: { state } }),
  });
const compare = (servers: readonly Server[], more: Partial<ZoneListing> = {}) =>
  compareListing({ servers, before: new Map(), hosts: [], prefixes: ['pool-'], named: new Map(), ...more });
const before = (...servers: readonly Server[]) => new Map(servers.map(server => [server.id, server]));

test('a server whose name starts with a pool prefix is discovered in that pool', () => {
  const { discovered, unmanaged } = compare([memoryServer(1)]);
  assert.deepEqual(discovered, [{ server: memoryServer(1), pool: 'pool-' }]);
  assert.deepEqual(unmanaged, []);
});

test('a server in no pool and without a MacHost is unmanaged', () => {
  const desk = memoryServer(1, { name: 'a desk' });
  assert.deepEqual(compare([desk]), { discovered: [], changed: [], unmanaged: [desk] });
});

test('a known server is not discovered again, whatever its name', () => {
  const claimed = memoryServer(1, { name: 'runners-a' });
  const { discovered, unmanaged } = compare([claimed], { hosts: [host(1)], before: before(claimed) });
  assert.deepEqual([discovered, unmanaged], [[], []]);
});

test('a server that the previous system is claiming is neither discovered nor unmanaged', () => {
  const pending = memoryServer(1, { name: 'tuist-claim-pending-x' });
  assert.deepEqual(compare([pending]), { discovered: [], changed: [], unmanaged: [] });
});

test('a server that a machine names is discovered in the pool of this machine, whatever its name', () => {
  const held = memoryServer(1, { name: 'runners-a' });
  const { discovered, unmanaged } = compare([held], { named: new Map([[memoryId(1), 'pool-eu-']]) });
  assert.deepEqual([discovered, unmanaged], [[{ server: held, pool: 'pool-eu-' }], []]);
});

test('a renamed, restarting or vanished server wakes its host, an unchanged one does not', () => {
  const hosts = [host(1), host(2), host(3), host(4), host(5, 'Missing')];
  const { changed } = compare([memoryServer(1, { name: 'x' }), memoryServer(2, { state: 'busy' }), memoryServer(3)], {
    hosts,
    before: before(memoryServer(1), memoryServer(2), memoryServer(3), memoryServer(4)),
  });
  assert.deepEqual(changed, [memoryId(4), memoryId(1), memoryId(2)]);
});

test('a password that the vendor no longer returns does not wake the host', () => {
  const { password: _password, ...sealed } = memoryServer(1);
  const other = memoryServer(1, { password: new Secret('other', 'x') });
  for (const server of [sealed, other])
    assert.deepEqual(compare([server], { hosts: [host(1)], before: before(memoryServer(1)) }).changed, []);
});

test('the longest pool prefix that fits a name is its pool', () => {
  assert.equal(poolOfName('pool-eu-1', ['pool-', 'pool-eu-', '']), 'pool-eu-');
  assert.equal(poolOfName('desk', ['pool-', '']), undefined);
});

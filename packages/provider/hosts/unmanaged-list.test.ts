import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUnmanagedServers, UNMANAGED_SERVERS_NAME } from '@minifleet/api';
import { minutes, timestamp } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { configMaps, namespaces } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import type { Server } from '@minifleet/vendors';
import { memoryId, memoryServer } from '@minifleet/vendors/testing';
import { updateUnmanaged, writeUnmanaged } from './unmanaged-list.ts';

const start = Date.UTC(2030, 0, 1);
const later = start + minutes(60);
const entry = (number: number, zone = 'fr-par-1', since = start) => ({
  ...{ zone, id: memoryId(number), name: `desk-${number}`, type: 'M2-L', since: timestamp(since) },
});
const desk = (number: number, more: Partial<Server> = {}): Server =>
  memoryServer(number, { name: `desk-${number}`, ...more });
const listing = (servers: readonly Server[], zones = ['fr-par-1'], now = later) => ({
  ...{ zones: new Set(zones), servers, now },
});

test('an unmanaged server keeps the time at which it was found first', () => {
  const list = updateUnmanaged([entry(1)], listing([desk(1), desk(2)]));
  assert.deepEqual(list, [entry(1), entry(2, 'fr-par-1', later)]);
});

test('a renamed unmanaged server keeps its time and shows its new name', () => {
  const [one] = updateUnmanaged([entry(1)], listing([desk(1, { name: 'a desk' })]));
  assert.deepEqual([one?.name, one?.since], ['a desk', timestamp(start)]);
});

test('a server that is managed or gone leaves the list of unmanaged servers', () => {
  assert.deepEqual(updateUnmanaged([entry(1), entry(2)], listing([desk(2)])), [entry(2)]);
});

test('a zone that could not be listed keeps its unmanaged servers', () => {
  const before = [entry(1), entry(2, 'nl-ams-1')];
  assert.deepEqual(updateUnmanaged(before, listing([])), [entry(2, 'nl-ams-1')]);
  assert.deepEqual(updateUnmanaged(before, listing([], [])), before);
});

async function setUp() {
  const { client, requests, faults } = createMemoryApi({ clock: fakeClock() });
  await client.create(namespaces, { metadata: { name: 'provider' } });
  const key = { namespace: 'provider', name: UNMANAGED_SERVERS_NAME };
  const writes = () => requests.filter(({ method }) => method !== 'GET').length;
  return {
    ...{ client, key, writes, faults },
    write: (...args: Parameters<typeof listing>) => writeUnmanaged(client, 'provider', listing(...args)),
    read: async () => parseUnmanagedServers((await client.find(configMaps, key))?.data),
  };
}

test('the ConfigMap of unmanaged servers is created, updated, and not written while nothing changes', async () => {
  const { write, read, writes } = await setUp();
  await write([desk(1)], ['fr-par-1'], start);
  assert.deepEqual(await read(), [entry(1)]);
  const before = writes();
  await write([desk(1)]);
  assert.equal(writes(), before);
  await write([desk(1), desk(2)]);
  assert.equal(writes(), before + 1);
  assert.deepEqual(await read(), [entry(1), entry(2, 'fr-par-1', later)]);
});

test('the ConfigMap of unmanaged servers exists from the first list on, even if it is empty', async () => {
  const { write, client, key, writes } = await setUp();
  await write([]);
  const found = await client.get(configMaps, key);
  assert.equal(found.metadata.labels?.['minifleet.dev/unmanaged-servers'], '');
  const before = writes();
  await write([]);
  assert.equal(writes(), before);
});

test('keys that others added to the ConfigMap of unmanaged servers stay', async () => {
  const { write, client, key } = await setUp();
  await client.create(configMaps, { metadata: key, data: { note: 'by an operator' } });
  await write([desk(1)]);
  assert.equal((await client.get(configMaps, key)).data?.['note'], 'by an operator');
});

test('a write that another provider was faster with is left to the next list', async () => {
  const { write, faults } = await setUp();
  await write([desk(1)]);
  faults.failNext({ match: { method: 'PUT' }, status: 409, reason: 'Conflict' });
  await write([desk(2)]);
});

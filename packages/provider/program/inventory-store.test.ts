import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClock } from '@minifleet/clock/testing';
import { configMaps, namespaces } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import { inventoryVendor } from '@minifleet/vendors';
import { configMapInventory } from './inventory-store.ts';

const TEXT =
  '- name: desk-1\n  zone: on-pre-1\n  address: 192.0.2.7\n  type: M2-L\n  os: macos-tahoe-26.3\n  user: m1\n';
const at = { namespace: 'macs', name: 'office' };

async function open(text?: string) {
  const { client } = createMemoryApi({ clock: fakeClock() });
  await client.create(namespaces, { metadata: { name: at.namespace } });
  if (text !== undefined) await client.create(configMaps, { metadata: at, data: { 'inventory.yaml': text } });
  return { client, store: configMapInventory(client, at) };
}

test('no ConfigMap is an empty inventory', async () => {
  const { store } = await open();
  assert.deepEqual(await store.read(), { text: '', names: {}, version: '' });
});

test('names are kept beside what people wrote, which stays as it is', async () => {
  const { client, store } = await open(TEXT);
  const vendor = inventoryVendor({ store });
  const [mac] = await vendor.servers('on-pre-1');
  assert.ok(mac);
  await vendor.rename(mac, 'runners-a');
  assert.equal((await vendor.server(mac))?.name, 'runners-a');
  await vendor.rename(mac, 'runners-b');
  assert.equal((await vendor.server(mac))?.name, 'runners-b');
  assert.equal((await client.get(configMaps, at)).data?.['inventory.yaml'], TEXT);
});

test('a write of names with an outdated version is rejected, and the other write is kept', async () => {
  const { store } = await open(TEXT);
  const { version } = await store.read();
  assert.equal(await store.writeNames({ a: 'one' }, version), true);
  assert.equal(await store.writeNames({ a: 'two' }, version), false);
  const later = await store.read();
  assert.equal(await store.writeNames({ ...later.names, b: 'three' }, later.version), true);
  assert.equal(await store.writeNames({ a: 'four' }, later.version), false);
  assert.deepEqual((await store.read()).names, { a: 'one', b: 'three' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryInventoryStore } from '../testing/memory-inventory-store.ts';
import { testVendor } from '../testing/vendor.contract.ts';
import type { InventoryProblem } from './inventory-problem.ts';
import { inventoryVendor } from './inventory-vendor.ts';
import { readInventory } from './read-inventory.ts';

/** A host as people write it, at an address of its own. */
const entry = (name: string, zone: string, number: number): string =>
  `- { name: ${name}, zone: ${zone}, address: 10.0.0.${number}, user: admin, type: M2-L, os: macos-tahoe-26.3 }\n`;

testVendor({
  name: 'inventory',
  can: { reinstall: false, reboot: false },
  sends: ['servers', 'server', 'rename'],
  open: async () => {
    const store = memoryInventoryStore();
    let number = 0;
    return {
      vendor: inventoryVendor({ store }),
      zone: 'fr-par-1',
      otherZone: 'de-ber-1',
      async addServer(name, zone = 'fr-par-1') {
        number += 1;
        store.text += entry(name, zone, number);
        const host = readInventory(store.text).hosts.at(-1);
        assert.ok(host);
        return { id: host.id, zone: host.zone };
      },
      async removeServer(id) {
        const { hosts } = readInventory(store.text);
        const lines = store.text.split('\n');
        store.text = lines.filter((_, index) => hosts[index]?.id !== id).join('\n');
      },
      finish: async () => undefined,
      strike: (call, what) => {
        store.fault = { on: call === 'rename' ? 'write' : 'read', what };
      },
      heal: () => {
        store.fault = undefined;
      },
      keys: () => [],
      secrets: [],
      close: async () => undefined,
    };
  },
});

const two = entry('one', 'fr-par-1', 1) + entry('two', 'fr-par-1', 2);

test('the inventory text is never rewritten; assigned names are stored separately', async () => {
  const store = memoryInventoryStore(two);
  const vendor = inventoryVendor({ store });
  const [one] = await vendor.servers('fr-par-1');
  assert.ok(one);
  await vendor.rename(one, 'mine');
  assert.equal(store.text, two);
  assert.deepEqual(store.names, { [one.id]: 'mine' });
  store.text = entry('rewritten', 'fr-par-1', 1);
  assert.equal((await vendor.server(one))?.name, 'mine');
});

test('two processes that rename hosts concurrently keep both names', async () => {
  const store = memoryInventoryStore(two);
  const [first, second] = [inventoryVendor({ store }), inventoryVendor({ store })];
  const [one, other] = await first.servers('fr-par-1');
  assert.ok(one && other);
  await Promise.all([first.rename(one, 'mine'), second.rename(other, 'yours')]);
  assert.deepEqual(store.names, { [one.id]: 'mine', [other.id]: 'yours' });
});

test('a rename to the current name writes nothing to the inventory', async () => {
  const store = memoryInventoryStore(two);
  const vendor = inventoryVendor({ store });
  const [one] = await vendor.servers('fr-par-1');
  assert.ok(one);
  await vendor.rename(one, 'one');
  assert.equal(store.writes, 0);
});

test('a host with an invalid inventory entry does not count as deleted and keeps its name', async () => {
  const store = memoryInventoryStore(two);
  const vendor = inventoryVendor({ store });
  const [one, other] = await vendor.servers('fr-par-1');
  assert.ok(one && other);
  await vendor.rename(one, 'mine');
  store.text = two.replace('user: admin', 'usr: admin');
  const refusal = { code: 'VENDOR_INVENTORY_INVALID', message: /line 1: one: user is missing; write the account/ };
  await assert.rejects(vendor.server(one), refusal);
  await assert.rejects(vendor.rename(one, 'again'), refusal);
  assert.deepEqual(await vendor.servers('fr-par-1'), [other], 'the good entry still works');
  await vendor.rename(other, 'yours');
  store.text = two;
  assert.equal((await vendor.server(one))?.name, 'mine');
});

test('an inventory that is not YAML fails every call, and no host counts as deleted', async () => {
  const store = memoryInventoryStore(two);
  const vendor = inventoryVendor({ store });
  const [one] = await vendor.servers('fr-par-1');
  assert.ok(one);
  store.text = `${two}- { name: three\n`;
  for (const call of [vendor.servers('fr-par-1'), vendor.server(one), vendor.rename(one, 'mine')]) {
    await assert.rejects(call, { code: 'VENDOR_INVENTORY_INVALID', message: /line [34]: .*\); fix them/ });
  }
});

test('inventory problems are reported once for each text, and so is their end', async () => {
  const store = memoryInventoryStore(two);
  const reported: (readonly InventoryProblem[])[] = [];
  const vendor = inventoryVendor({ store, report: problems => reported.push(problems) });
  const bad = `${two}- name: three\n`;
  for (const text of [two, bad, bad, two]) {
    store.text = text;
    await vendor.servers('fr-par-1');
  }
  assert.deepEqual(
    reported.map(problems => problems.length > 0),
    [false, true, false],
  );
});

test('a rename with permanent write conflicts fails instead of hanging', async () => {
  const store = memoryInventoryStore(two);
  const vendor = inventoryVendor({ store: { ...store, writeNames: async () => false } });
  const [one] = await vendor.servers('fr-par-1');
  assert.ok(one);
  await assert.rejects(vendor.rename(one, 'mine'), { code: 'VENDOR_UNAVAILABLE', message: /concurrent writes/ });
});

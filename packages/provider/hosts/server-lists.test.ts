import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type MacHost, macHost } from '@minifleet/api';
import { memoryId, memoryVendor } from '@minifleet/vendors/testing';
import { createServerLists } from './server-lists.ts';

const id = memoryId(1);
const zone = 'fr-par-1';
const ref = { zone, id };
const { apiVersion, kind } = { apiVersion: 'minifleet.dev/v1alpha1', kind: macHost.resource.kind };
const host: MacHost = {
  ...{ apiVersion, kind, metadata: { name: id } },
  spec: { source: { scaleway: { zone, serverID: id } }, pool: 'pool-', claimEpoch: 0 },
};

/** Lists of one server, after the first one was read. `onList` runs while the vendor answers a list. */
async function listed(onList?: () => Promise<void>) {
  let isFirst = true;
  const vendor = memoryVendor({
    servers: [{ name: 'pool-1' }],
    async onCall({ call }) {
      if (call === 'servers' && !isFirst) await onList?.();
    },
  });
  const lists = createServerLists(vendor);
  await lists.refresh(zone);
  isFirst = false;
  const own = lists.of(host).vendor;
  assert.ok(own);
  return { vendor, lists, own, known: () => lists.of(host) };
}

describe('the last lists of the vendor', () => {
  test('a server that was renamed since the last list is outdated until it is read', async () => {
    const { own, known } = await listed();
    assert.deepEqual([known().server?.name, known().outdated], ['pool-1', false]);
    await own.rename(ref, 'a');
    assert.equal(known().outdated, true);
    await own.server(ref);
    assert.deepEqual([known().server?.name, known().outdated], ['a', false]);
  });

  test('a server whose rename failed is outdated, because the vendor may have renamed it', async () => {
    const { vendor, own, known } = await listed();
    vendor.failNext({ call: 'rename', when: 'after' });
    await assert.rejects(own.rename(ref, 'a'));
    assert.equal(known().outdated, true);
  });

  test('a list that was requested before a change does not replace what is known of the server', async () => {
    const { lists, own, known } = await listed(async () => {
      await own.rename(ref, 'a');
      await own.server(ref);
      await own.rename(ref, 'b');
    });
    const { servers } = await lists.refresh(zone);
    assert.deepEqual(
      servers.map(({ name }) => name),
      ['a'],
    );
    assert.equal(known().outdated, true);
  });

  test('a server that no longer exists is not listed any more', async () => {
    const { vendor, lists, own } = await listed();
    vendor.remove(id);
    assert.equal(lists.isListed(host), true);
    await own.server(ref);
    assert.equal(lists.isListed(host), false);
  });

  test('a reinstallation and a restart wake discovery, and a rename does not', async () => {
    const { vendor, lists, own } = await listed();
    let woken = 0;
    lists.onWork(() => void woken++);
    await own.rename(ref, 'a');
    assert.equal(woken, 0);
    await own.reinstall(ref, undefined);
    vendor.finish(id);
    await own.reboot(ref);
    assert.equal(woken, 2);
  });
});

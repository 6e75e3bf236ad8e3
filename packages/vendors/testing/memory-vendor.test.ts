import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VENDOR_BUSY } from '../errors.ts';
import { memoryId } from './memory-server.ts';
import { memoryVendor } from './memory-vendor.ts';
import { testVendor } from './vendor.contract.ts';

const FAULTS = {
  lost: { when: 'after' },
  down: { when: 'before', times: Number.POSITIVE_INFINITY },
  hang: { when: 'hang' },
} as const;

for (const can of [
  { reinstall: true, reboot: true },
  { reinstall: false, reboot: false },
]) {
  testVendor({
    name: `memory that can ${can.reinstall ? 'everything' : 'only name'}`,
    can,
    sends: [
      'servers',
      'server',
      'rename',
      'images',
      'registerKey',
      ...(can.reinstall ? (['reinstall', 'reboot'] as const) : []),
    ],
    open: async () => {
      const vendor = memoryVendor({ can });
      return {
        vendor,
        zone: 'fr-par-1',
        otherZone: 'fr-par-3',
        addServer: async (name, zone) => vendor.put({ name, ...(zone && { zone }) }),
        removeServer: async id => vendor.remove(id),
        finish: async id => vendor.finish(id),
        strike: (call, fault) => vendor.failNext({ call, ...FAULTS[fault] }),
        heal: () => vendor.heal(),
        keys: () => vendor.keys.map(({ publicKey }) => publicKey.split(' ').slice(0, 2).join(' ')),
        secrets: ['pass-1'],
        close: async () => undefined,
      };
    },
  });
}

const ref = { zone: 'fr-par-1', id: memoryId(1) };

test('the memory vendor records every call, also failed ones', async () => {
  const vendor = memoryVendor({ servers: [{ name: 'pool-a' }] });
  vendor.failNext({ call: 'reboot', when: 'before', error: VENDOR_BUSY({ vendor: 'memory', call: 'reboot' }) });
  await vendor.rename(vendor.find('pool-a'), 'mine');
  await assert.rejects(vendor.reboot(ref), { code: 'VENDOR_BUSY' });
  assert.deepEqual(vendor.calls, [
    { call: 'rename', ...ref, name: 'mine' },
    { call: 'reboot', ...ref },
  ]);
  assert.equal(vendor.find('mine').state, 'ready');
});

test('a fault of the memory vendor applies to its server and number of calls', async () => {
  const vendor = memoryVendor({ servers: [{}, {}] });
  vendor.failNext({ call: 'rename', id: memoryId(2), when: 'after', times: 2 });
  await vendor.rename(ref, 'first');
  const other = { ...ref, id: memoryId(2) };
  await assert.rejects(vendor.rename(other, 'second'));
  await assert.rejects(vendor.rename(other, 'third'));
  await vendor.rename(other, 'fourth');
  assert.deepEqual(
    vendor.all().map(({ name }) => name),
    ['first', 'fourth'],
  );
});

test('held lists of the memory vendor are stale, single reads are not', async () => {
  const vendor = memoryVendor({ servers: [{ name: 'old' }] });
  vendor.holdLists();
  await vendor.rename(ref, 'new');
  const listed = async () => (await vendor.servers(ref.zone)).map(({ name }) => name);
  assert.deepEqual([await listed(), (await vendor.server(ref))?.name], [['old'], 'new']);
  vendor.releaseLists();
  assert.deepEqual(await listed(), ['new']);
});

test('the memory vendor lets others act between a call and its effect', async () => {
  const vendor = memoryVendor({
    servers: [{}],
    onCall: ({ call, id = '' }) => (call === 'rename' ? vendor.remove(id) : undefined),
  });
  await assert.rejects(vendor.rename(ref, 'mine'), { code: 'VENDOR_SERVER_UNKNOWN' });
});

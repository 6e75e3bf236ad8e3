import assert from 'node:assert/strict';
import { refusesTheGone } from './gone.ts';
import type { Topic } from './vendor-bench.ts';

export const rebootContract: Topic = (test, { can }) => {
  if (!can.reboot) {
    test('a vendor without reboot rejects it', async ({ vendor, addServer }) => {
      await assert.rejects(vendor.reboot(await addServer('one')), { code: 'VENDOR_CANNOT' });
    });
    return;
  }

  test('a rebooted server returns unchanged, and a second reboot meanwhile succeeds', async bench => {
    const { vendor, addServer, finish } = bench;
    const ref = await addServer('one');
    const before = await vendor.server(ref);
    await vendor.reboot(ref);
    await vendor.reboot(ref);
    assert.equal((await vendor.server(ref))?.state, 'busy');
    await finish(ref.id);
    assert.deepEqual(await vendor.server(ref), before);
  });

  test('a reboot of a deleted server is an error', bench => refusesTheGone(bench, (vendor, ref) => vendor.reboot(ref)));

  if (!can.reinstall) return;

  test('a rebooting server does not count as being reinstalled', async ({ vendor, addServer, finish }) => {
    const ref = await addServer('one');
    await vendor.reboot(ref);
    await assert.rejects(vendor.reinstall(ref, undefined), { code: 'VENDOR_REJECTED' });
    await finish(ref.id);
    await vendor.reinstall(ref, undefined);
    assert.equal((await vendor.server(ref))?.stateWord, 'reinstalling');
  });
};

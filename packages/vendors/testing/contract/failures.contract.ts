import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { CataloguedError } from '@minifleet/errors';
import { everyCall } from './every-call.ts';
import { FIRST_KEY } from './public-keys.ts';
import type { Topic, VendorBench } from './vendor-bench.ts';

export const failuresContract: Topic = (test, { sends, can }) => {
  for (const call of sends) {
    test(`${call} during a vendor outage fails with a catalogued error without secrets, and works afterwards`, async bench => {
      const ref = await bench.addServer('one');
      bench.strike(call, 'down');
      await assert.rejects(everyCall[call](bench.vendor, ref), error => isUnavailable(error, bench));
      bench.heal();
      await everyCall[call](bench.vendor, ref);
    });
  }

  test('a rename with a lost response can be repeated', async bench => {
    const { vendor, addServer } = bench;
    const ref = await addServer('one');
    bench.strike('rename', 'lost');
    await twice(bench, () => vendor.rename(ref, 'mine'));
    assert.equal((await vendor.server(ref))?.name, 'mine');
  });

  if (can.reinstall) {
    test('a reinstall with a lost response can be repeated', async bench => {
      const { vendor, addServer, finish } = bench;
      const ref = await addServer('one');
      bench.strike('reinstall', 'lost');
      await twice(bench, () => vendor.reinstall(ref, undefined));
      assert.equal((await vendor.server(ref))?.stateWord, 'reinstalling');
      await finish(ref.id);
      assert.equal((await vendor.server(ref))?.state, 'ready');
    });
  }

  if (can.reboot) {
    test('a reboot with a lost response can be repeated', async bench => {
      const { vendor, addServer, finish } = bench;
      const ref = await addServer('one');
      bench.strike('reboot', 'lost');
      await twice(bench, () => vendor.reboot(ref));
      await finish(ref.id);
      assert.equal((await vendor.server(ref))?.state, 'ready');
    });
  }

  if (sends.includes('registerKey')) {
    test('an SSH key registration with a lost response can be repeated and exists once', async bench => {
      bench.strike('registerKey', 'lost');
      await twice(bench, () => bench.vendor.registerKey({ name: 'fleet', publicKey: FIRST_KEY }));
      assert.deepEqual(bench.keys(), [FIRST_KEY]);
    });
  }
};

/** The first may fail or may have been repeated by the driver; the second has to be as if there had been only one. */
async function twice(bench: VendorBench, write: () => Promise<unknown>): Promise<void> {
  await write().catch((error: unknown) => isUnavailable(error, bench));
  await write();
}

function isUnavailable(error: unknown, { secrets, vendor }: VendorBench): true {
  assert.ok(error instanceof CataloguedError, inspect(error));
  assert.equal(error.code, 'VENDOR_UNAVAILABLE', error.message);
  assert.ok(error.message.startsWith(vendor.name), error.message);
  assert.doesNotMatch(error.message, /\{\w+\}|<html|undefined/i);
  const shown = inspect(error, { depth: 10, showHidden: true });
  for (const secret of secrets) assert.ok(!shown.includes(secret), 'the error shows a secret');
  return true;
}

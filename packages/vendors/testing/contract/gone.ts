import assert from 'node:assert/strict';
import { VENDOR_SERVER_UNKNOWN } from '../../errors.ts';
import type { ServerRef, Vendor } from '../../vendor.ts';
import type { VendorBench } from './vendor-bench.ts';

/** Asserts that a write to a deleted server fails with its id. */
export async function refusesTheGone(
  { addServer, removeServer, vendor }: VendorBench,
  write: (vendor: Vendor, ref: ServerRef) => Promise<void>,
): Promise<void> {
  const ref = await addServer('gone');
  await removeServer(ref.id);
  await assert.rejects(write(vendor, ref), { code: VENDOR_SERVER_UNKNOWN.code, message: new RegExp(ref.id) });
}

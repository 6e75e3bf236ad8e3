import { Errors } from '@scaleway/sdk-client';
import type { ServerRef } from '../vendor.ts';
import { causeOf, getServer, type ScalewayRequestContext } from './api.ts';

/**
 * Runs `change`; a conflict is success if the server is already in one of these states. The server is read for that, because a
 * conflict does not name the other operation, and a Mac that only restarts must not count as being reinstalled.
 */
export async function unlessUnderWay(
  call: ScalewayRequestContext,
  ref: ServerRef,
  states: readonly string[],
  change: () => Promise<unknown>,
): Promise<void> {
  try {
    await change();
  } catch (error) {
    const cause = causeOf(error);
    const conflict = cause instanceof Errors.ScalewayError && cause.status === 409;
    if (!conflict || !states.includes((await getServer(call, ref)).status)) throw error;
  }
}

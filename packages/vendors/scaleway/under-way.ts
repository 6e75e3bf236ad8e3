import { Errors } from '@scaleway/sdk-client';
import type { ServerRef } from '../vendor.ts';
import { causeOf, getServer, type ScalewayRequestContext } from './api.ts';

/**
 * Does it; a conflict is success where the server is already in one of these states. The server is read for that: a
 * conflict alone does not say with what, and a Mac that only restarts must not be taken for one that is being wiped.
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

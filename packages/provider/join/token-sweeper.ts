import { type Duration, minutes } from '@minifleet/clock';
import {
  againIn,
  type Context,
  deleteExact,
  type ObjectKey,
  type Outcome,
  type Selection,
  secrets,
  settled,
} from '@minifleet/kube';
import { findMachines } from '../cluster-api/find-machines.ts';
import { isElsewhere, readToken } from './bootstrap-token.ts';

/** A token of a deleted machine is harmless until then, because its request would be denied. */
const CHECK_INTERVAL = minutes(5);
const sooner = (left: Duration): Duration => (left < CHECK_INTERVAL ? left : CHECK_INTERVAL);

/**
 * Deletes a token that is expired or whose machine no longer exists, for example after its finalizer was removed by hand. Not every cluster runs
 * the token cleaner of Kubernetes.
 */
export async function sweepToken(
  { cache, client, clock, log }: Context,
  key: ObjectKey,
  selection: Pick<Selection, 'namespace'>,
): Promise<Outcome> {
  const secret = cache(secrets).get(key);
  const token = secret && readToken(secret);
  if (!token || isElsewhere(token, selection)) return settled();
  const left = token.expiresAt - clock.now();
  // Bypasses the cache, which may contain only some of the machines.
  const machines = left > 0 ? await findMachines(client, token.machine) : [];
  if (machines.some(({ metadata }) => metadata.uid === token.machineUID))
    return againIn(sooner(left as Duration), 'the token is in use');
  // A token that was extended since it was read is in use again; its update wakes this controller.
  if (!(await deleteExact(client, secrets, secret, { unchanged: true }))) return settled();
  log.info(
    { token: token.id, machine: token.machine },
    left > 0 ? 'Bootstrap token without machine removed' : 'Expired bootstrap token removed',
  );
  return settled();
}

import { type Clock, minutes, seconds } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube';
import type { GuestId, Guests } from '../guests/guest.ts';
import type { TartCli } from '../guests/tart.ts';
import type { ClassifiedVm } from './classify-vms.ts';

interface RemoveVmsOptions {
  readonly tart: Pick<TartCli, 'stop' | 'delete'>;
  readonly guests: Pick<Guests, 'stop' | 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Time since which the Pod of a recorded guest has been gone, kept between collections. */
  readonly goneSince: Map<string, number>;
}

const STOP_WITHIN = seconds(30);
/** A Pod's worker stops its guest within the grace period; this limit is for a worker that never did. */
const WORKER_GRACE = minutes(10);

/**
 * Removes VMs according to the decisions; returns the names of the removed ones. A failure does not block the others.
 */
export async function removeVms(options: RemoveVmsOptions, classified: readonly ClassifiedVm[]): Promise<string[]> {
  const overdue = classified.filter(vm => isOverdue(options, vm));
  const removals = [
    ...classified.filter(({ decision }) => decision === 'remove').map(vm => removeUnrecorded(options, vm)),
    ...overdue.map(vm => removeRecorded(options, vm)),
  ];
  const gone = (await Promise.all(removals)).filter(name => name !== undefined);
  forgetOthers(options, classified);
  return gone;
}

function isOverdue({ goneSince, clock }: RemoveVmsOptions, { decision, name }: ClassifiedVm): boolean {
  if (decision !== 'wait') return false;
  const since = goneSince.get(name) ?? clock.now();
  goneSince.set(name, since);
  return clock.now() - since >= WORKER_GRACE;
}

function forgetOthers({ goneSince }: RemoveVmsOptions, classified: readonly ClassifiedVm[]): void {
  const waiting = new Set(classified.filter(({ decision }) => decision === 'wait').map(({ name }) => name));
  for (const name of goneSince.keys()) if (!waiting.has(name)) goneSince.delete(name);
}

const removeUnrecorded = (
  { tart, log }: RemoveVmsOptions,
  { name, running }: ClassifiedVm,
): Promise<string | undefined> =>
  attempt(log, name, async () => {
    if (running) await tart.stop(name, STOP_WITHIN);
    await tart.delete(name);
  });

const removeRecorded = ({ guests, log }: RemoveVmsOptions, { name, id }: ClassifiedVm): Promise<string | undefined> =>
  attempt(log, name, async () => {
    const guest: GuestId | undefined = id;
    if (guest === undefined) return;
    await guests.stop(guest, STOP_WITHIN);
    await guests.remove(guest);
  });

async function attempt(log: Log, name: string, remove: () => Promise<void>): Promise<string | undefined> {
  try {
    await remove();
    return name;
  } catch (error) {
    log.warn({ ...errorFields(error), vm: name }, 'VM of a deleted Pod could not be removed; retrying');
    return undefined;
  }
}

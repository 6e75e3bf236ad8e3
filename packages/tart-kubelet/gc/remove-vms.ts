import { type Clock, minutes, seconds } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube';
import type { GuestId, Guests } from '../guests/guest.ts';
import type { TartCli } from '../guests/tart.ts';
import type { JudgedVm } from './classify-vms.ts';

interface RemoveVmsOptions {
  readonly tart: Pick<TartCli, 'stop' | 'delete'>;
  readonly guests: Pick<Guests, 'stop' | 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Since when a recorded guest's Pod has been gone, from pass to pass. */
  readonly goneSince: Map<string, number>;
}

const STOP_WITHIN = seconds(30);
/** A Pod's own worker stops its guest within the Pod's grace; this is for one that never came to it. */
const WORKER_PATIENCE = minutes(10);

/** Carries out the judgements; gives the names of those that are gone. One that cannot be removed does not keep the others. */
export async function removeVms(options: RemoveVmsOptions, judged: readonly JudgedVm[]): Promise<string[]> {
  const overdue = judged.filter(vm => isOverdue(options, vm));
  const removals = [
    ...judged.filter(({ fate }) => fate === 'remove').map(vm => removeUnrecorded(options, vm)),
    ...overdue.map(vm => removeRecorded(options, vm)),
  ];
  const gone = (await Promise.all(removals)).filter(name => name !== undefined);
  forgetTheRest(options, judged);
  return gone;
}

function isOverdue({ goneSince, clock }: RemoveVmsOptions, { fate, name }: JudgedVm): boolean {
  if (fate !== 'wait') return false;
  const since = goneSince.get(name) ?? clock.now();
  goneSince.set(name, since);
  return clock.now() - since >= WORKER_PATIENCE;
}

function forgetTheRest({ goneSince }: RemoveVmsOptions, judged: readonly JudgedVm[]): void {
  const waiting = new Set(judged.filter(({ fate }) => fate === 'wait').map(({ name }) => name));
  for (const name of goneSince.keys()) if (!waiting.has(name)) goneSince.delete(name);
}

const removeUnrecorded = ({ tart, log }: RemoveVmsOptions, { name, running }: JudgedVm): Promise<string | undefined> =>
  attempt(log, name, async () => {
    if (running) await tart.stop(name, STOP_WITHIN);
    await tart.delete(name);
  });

const removeRecorded = ({ guests, log }: RemoveVmsOptions, { name, id }: JudgedVm): Promise<string | undefined> =>
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
    log.warn({ ...errorFields(error), vm: name }, 'A VM of a Pod that is gone could not be removed');
    return undefined;
  }
}

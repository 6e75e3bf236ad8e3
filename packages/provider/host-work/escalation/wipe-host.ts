import { minutes, timestamp } from '@minifleet/clock';
import type { MachineParts } from '../../machines/parts.ts';
import type { MachineScope } from '../../machines/scope.ts';
import { cut } from '../journal/entry-words.ts';
import { type HostJournal, isFailing, OF_THE_HOST, withSteps } from '../journal/journal.ts';
import { refusalOf } from './ask-vendor.ts';

// A vendor that shows the host as ready still, a moment after it was asked, must not make us knock in vain.
const GOES_DOWN_WITHIN = minutes(1);

/** Written before the vendor is asked: a host is wiped for this once. */
export function announceWipe(journal: HostJournal, now: number): HostJournal {
  const message =
    'the host rejects the fleet key, because it was installed before the key existed; reinstalling the host';
  const news = { name: OF_THE_HOST.wipe, state: 'Waiting', message } as const;
  return { ...journal, steps: withSteps(journal.steps ?? [], [news], timestamp(now)) };
}

/** Has the vendor install the host anew, with the key. Its password and host key are others from then on. */
export async function wipeHost(
  journal: HostJournal,
  { samm, found }: MachineScope,
  { claims, credentials, vendors, clock }: MachineParts,
): Promise<HostJournal> {
  const { claimRef, zone } = samm.spec;
  await claims.fence(samm);
  const image = found.server?.image.name;
  const refusal = await refusalOf(async () =>
    (await vendors.for(zone)).reinstall({ zone, id: claimRef?.name ?? '' }, image),
  );
  if (!refusal) await credentials.forget(samm);
  const now = clock.now();
  const steps = journal.steps ?? [];
  const told = steps.find(({ name }) => name === OF_THE_HOST.wipe);
  const news = {
    name: OF_THE_HOST.wipe,
    state: refusal ? 'Failed' : 'Done',
    message: cut(refusal?.message ?? told?.message ?? ''),
  } as const;
  const nextAttemptTime = timestamp(now + GOES_DOWN_WITHIN);
  // Waiting, and no longer for a person: whoever refused us is gone.
  const later = steps.map(step =>
    isFailing(step) && !refusal ? { ...step, state: 'Waiting' as const, nextAttemptTime } : step,
  );
  return { ...journal, steps: withSteps(later, [news], timestamp(now)) };
}

import { minutes, timestamp } from '@minifleet/clock';
import type { MachineParts } from '../../machines/parts.ts';
import type { MachineScope } from '../../machines/scope.ts';
import { cut } from '../journal/entry-words.ts';
import { type HostJournal, isFailing, OF_THE_HOST, withSteps } from '../journal/journal.ts';
import { refusalOf } from './ask-vendor.ts';
import { failuresIn } from './escalation.ts';

// Shorter than a boot: the next try waits for the host by itself, and must only not come before it went down.
const GOES_DOWN_WITHIN = minutes(2);

/** Written before the vendor is asked: however often we die in between, the host is restarted for this and no more. */
export function announceRestart(journal: HostJournal, now: number): HostJournal {
  const steps = journal.steps ?? [];
  const attempts = failuresIn(steps);
  const message = `${attempts} consecutive failures; restarting the host through the vendor`;
  const news = { name: OF_THE_HOST.restart, state: 'Waiting', attempts, message } as const;
  return { ...journal, steps: withSteps(steps, [news], timestamp(now)) };
}

/** Asks the vendor. One that cannot or will not is no reason to stop trying the host as it is. */
export async function restartHost(
  journal: HostJournal,
  { samm }: MachineScope,
  { claims, vendors, clock }: MachineParts,
): Promise<HostJournal> {
  const { claimRef, zone } = samm.spec;
  await claims.fence(samm);
  const refusal = await refusalOf(async () => (await vendors.for(zone)).reboot({ zone, id: claimRef?.name ?? '' }));
  const now = clock.now();
  const steps = journal.steps ?? [];
  const restart = steps.find(({ name }) => name === OF_THE_HOST.restart);
  const news = {
    name: OF_THE_HOST.restart,
    state: refusal ? 'Failed' : 'Done',
    attempts: restart?.attempts ?? 0,
    message: cut(refusal?.message ?? restart?.message ?? ''),
  } as const;
  const nextAttemptTime = timestamp(now + GOES_DOWN_WITHIN);
  const later = steps.map(step => (isFailing(step) && !refusal ? { ...step, nextAttemptTime } : step));
  return { ...journal, steps: withSteps(later, [news], timestamp(now)) };
}

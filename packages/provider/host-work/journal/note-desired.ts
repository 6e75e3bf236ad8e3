import { fingerprintOf } from '@minifleet/host';
import type { WantedHost } from '../wanted-spec.ts';
import { type HostJournal, isFailing, isOfTheHost } from './journal.ts';

/**
 * Writes down what is wanted now. Of another plan than before nothing is held back or has failed yet, but for a step that
 * is wanted as before and failed; what is said of the host itself stays.
 */
export function noteDesired(journal: HostJournal, { plan, desired }: WantedHost): HostJournal {
  const fingerprints = new Map(plan.steps.map(step => [step.id, fingerprintOf(step)]));
  const isAnother = journal.plan?.desired !== desired;
  const steps = (journal.steps ?? []).filter(step => {
    if (isOfTheHost(step)) return true;
    if (!fingerprints.has(step.name)) return false;
    if (!isAnother || step.state === 'Done') return true;
    return isFailing(step) && step.fingerprint === fingerprints.get(step.name);
  });
  return { ...journal, steps, plan: { ...journal.plan, desired } };
}

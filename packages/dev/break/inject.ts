import { seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { FAULT_WITHOUT_EFFECT } from '../incidents/errors.ts';
import type { FaultTarget } from '../incidents/fault-target.ts';
import { awaitPrecondition } from '../incidents/fixtures/preconditions.ts';
import type { InjectedFault, LiveFault } from '../incidents/incident.ts';

/** A running inspection has ended by then. It does not cover changes since its start, and an inspection without finding is not recorded. */
const INSPECTION = seconds(10);

/**
 * Injects a fault. A concurrent repair may undo the fault before it has an effect. The fault is then injected again as soon as the host
 * is up to date, because the reaction is compared with that state.
 */
export async function inject(target: FaultTarget, fault: Pick<LiveFault, 'inject'>): Promise<InjectedFault> {
  try {
    return await fault.inject(target);
  } catch (error) {
    if (!(error instanceof CataloguedError) || error.code !== FAULT_WITHOUT_EFFECT.code) throw error;
  }
  const from = target.clock.now() + INSPECTION;
  await awaitPrecondition(target, 'the host is up to date and has no job', async () => {
    const { plan, job, steps = [] } = (await target.host())?.status ?? {};
    const current = plan?.applied === plan?.desired && steps.every(({ state }) => state === 'Done');
    return target.clock.now() >= from && current && job === undefined && (await target.isReady());
  });
  return fault.inject(target);
}

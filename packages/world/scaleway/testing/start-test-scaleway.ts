import { type FakeClock, fakeClock } from '@minifleet/clock/testing';
import { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import { createClient } from '@scaleway/sdk-client';
import { Iamv1alpha1 } from '@scaleway/sdk-iam';
import { createChance } from '../../chance.ts';
import { createFaultPlan, type FaultPlan } from '../../faults/fault-plan.ts';
import { createJournal, type Journal } from '../../journal.ts';
import { type Scaleway, type ScalewayCredentials, type ScalewayOptions, startScaleway } from '../start-scaleway.ts';

/** The vendor with a fake clock, and the official SDK as its client. */
export interface TestScaleway extends Scaleway, AsyncDisposable {
  readonly clock: FakeClock;
  readonly faults: FaultPlan;
  readonly journal: Journal;
  /** Official clients with the key of the first project. */
  readonly servers: Applesiliconv1alpha1.API;
  readonly iam: Iamv1alpha1.API;
}

export async function startTestScaleway(options: Omit<ScalewayOptions, 'deps'> = {}): Promise<TestScaleway> {
  const clock = fakeClock();
  const chance = createChance('scaleway tests');
  const faults = createFaultPlan(chance.stream('faults'));
  const journal = createJournal(clock);
  const scaleway = await startScaleway({ ...options, deps: { clock, chance, faults, journal } });
  return {
    ...scaleway,
    clock,
    faults,
    journal,
    ...clientsOf(scaleway.apiFor()),
    [Symbol.asyncDispose]: () => scaleway.close(),
  };
}

/** Unmodified SDK clients for the given key. */
export function clientsOf(credentials: ScalewayCredentials): Pick<TestScaleway, 'servers' | 'iam'> {
  const client = createClient({ ...credentials });
  return { servers: new Applesiliconv1alpha1.API(client), iam: new Iamv1alpha1.API(client) };
}

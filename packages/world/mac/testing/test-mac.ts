import type { FakeClock } from '@minifleet/clock/testing';
import { fakeClock } from '@minifleet/clock/testing';
import { createChance } from '../../chance.ts';
import { createFaultPlan, type FaultPlan } from '../../faults/fault-plan.ts';
import { createJournal, type Journal } from '../../journal.ts';
import { type BuiltMac, type CreateMacOptions, createMac } from '../create-mac.ts';
import { type ExecuteOptions, execute, type ShellResult } from '../shell/execute.ts';

export interface TestMac {
  readonly mac: BuiltMac;
  readonly clock: FakeClock;
  readonly journal: Journal;
  readonly faults: FaultPlan;
  /** Runs a command line as over SSH and returns its result. */
  readonly run: (command: string, options?: ExecuteOptions) => Promise<ShellResult>;
}

export const PASSWORD = 'correct horse';

/** Creates a fresh Mac with a clock the test controls. */
export function createTestMac(options: Partial<CreateMacOptions> = {}): TestMac {
  const clock = fakeClock();
  const chance = createChance('test');
  const journal = createJournal(clock);
  const faults = createFaultPlan(chance);
  const mac = createMac(
    {
      name: 'mini-01',
      serverId: '00000000-0000-4000-8000-000000000001',
      address: '127.0.0.1',
      password: PASSWORD,
      macos: { version: '26.3', build: '25D125' },
      ...options,
    },
    { clock, chance, faults, journal },
  );
  return { mac, clock, journal, faults, run: (command, given) => execute(mac, command, given) };
}

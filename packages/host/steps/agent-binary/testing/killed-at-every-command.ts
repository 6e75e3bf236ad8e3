import assert from 'node:assert/strict';
import { milliseconds } from '@minifleet/clock';
import type { PlannedStep } from '../../../engine/step.ts';
import { convergeStep, passTime, type TestHost } from '../../../testing/index.ts';

export interface Victim {
  readonly given: TestHost;
  readonly steps: readonly PlannedStep[];
}

/**
 * Loses the connection at the first command, the second, and so on, before, while and after it runs; each time the steps
 * are carried out again and must end as wanted. Returns how many commands they take undisturbed.
 */
export async function killedAtEveryCommand(make: () => Promise<Victim>): Promise<number> {
  let most = 0;
  for (const when of ['before', 'during', 'after'] as const) {
    let commands = 0;
    while (await killedAt(await make(), commands, when)) commands += 1;
    most = Math.max(most, commands);
  }
  return most;
}

/** False when there was no such command any more. */
async function killedAt(victim: Victim, before: number, when: 'before' | 'during' | 'after'): Promise<boolean> {
  const { faults, clock, journal } = victim.given;
  faults.add({ kind: 'command', fault: { type: 'delay', by: milliseconds(0) }, times: before });
  faults.add({ kind: 'command', fault: { type: 'drop', when }, times: 1 });
  const outcome = await passTime(clock, carryOut(victim)).then(
    () => 'whole',
    (error: unknown) => (error as { readonly code: string }).code,
  );
  faults.clear();
  assert.ok(['whole', 'HOST_CONNECTION_LOST'].includes(outcome), outcome);
  await passTime(clock, carryOut(victim));
  for (const step of victim.steps) {
    const finding = await step.inspect(victim.given.host);
    assert.deepEqual(finding, { state: 'current' }, `${step.id}, killed ${when} command ${before + 1}`);
  }
  assert.deepEqual(journal.gaps, []);
  return outcome !== 'whole';
}

async function carryOut({ given, steps }: Victim): Promise<void> {
  for (const step of steps) await convergeStep(given.host, step);
}

import assert from 'node:assert/strict';
import { milliseconds } from '@minifleet/clock';
import type { PlannedStep } from '../../../engine/step.ts';
import { convergeStep, passTime, type TestHost } from '../../../testing/index.ts';

export interface Killing {
  /** A host in the state to start from. */
  readonly make: () => Promise<TestHost>;
  readonly step: PlannedStep;
  /** Whatever must hold however it was killed. */
  readonly check: (given: TestHost, killed: string) => void;
}

/**
 * Loses the connection at the first command, the second, and so on: before it ran, while it ran and after it ran. Each
 * time the step is started again and must converge. Returns how many commands it takes undisturbed.
 */
export async function killedEverywhere(killing: Killing): Promise<number> {
  let most = 0;
  for (const when of ['before', 'during', 'after'] as const) {
    let commands = 0;
    while (await killedAt(killing, commands, when)) commands += 1;
    most = Math.max(most, commands);
  }
  return most;
}

/** False when there was no such command any more. */
async function killedAt({ make, step, check }: Killing, before: number, when: 'before' | 'during' | 'after') {
  const given = await make();
  const { faults, clock, host } = given;
  faults.add({ kind: 'command', fault: { type: 'delay', by: milliseconds(0) }, times: before });
  faults.add({ kind: 'command', fault: { type: 'drop', when }, times: 1 });
  const outcome = await passTime(clock, convergeStep(host, step)).then(
    () => 'whole',
    (error: unknown) => (error as { readonly code: string }).code,
  );
  if (outcome !== 'whole') assert.equal(outcome, 'HOST_CONNECTION_LOST');
  faults.clear();
  const { after } = await passTime(clock, convergeStep(host, step));
  const killed = `killed ${when} command ${before + 1}`;
  assert.deepEqual(after, { state: 'current' }, killed);
  check(given, killed);
  return outcome !== 'whole';
}

import assert from 'node:assert/strict';
import { milliseconds } from '@minifleet/clock';
import type { Finding, PlannedStep } from '../../../engine/step.ts';
import { convergeStep, passTime, type TestHost } from '../../../testing/index.ts';

export interface Killing {
  readonly given: TestHost;
  readonly step: PlannedStep;
  readonly ends: Finding['state'];
}

/**
 * Loses the connection at the first command, the second, and so on: before it ran, while it runs, and after it ran.
 * Each time the step is started again and must end as wanted.
 */
export async function killedEverywhere(make: () => Killing): Promise<void> {
  for (const when of ['before', 'during', 'after'] as const) {
    let commands = 0;
    while (await killedAt(commands, when, make)) commands += 1;
    assert.ok(commands >= 3, 'it inspects, changes, and inspects again');
  }
}

/** False when there was no such command any more. */
async function killedAt(before: number, when: 'before' | 'during' | 'after', make: () => Killing): Promise<boolean> {
  const { given, step, ends } = make();
  const { faults, clock, host, journal, transport } = given;
  faults.add({ kind: 'command', fault: { type: 'delay', by: milliseconds(0) }, times: before });
  faults.add({ kind: 'command', fault: { type: 'drop', when }, times: 1 });
  // An inspection whose answers all came in before the connection broke ends well.
  await passTime(clock, convergeStep(host, step)).catch((error: unknown) =>
    assert.equal((error as { readonly code?: string }).code, 'HOST_CONNECTION_LOST'),
  );
  const killed = transport.roundTrips > before;
  faults.clear();
  const { after } = await passTime(clock, convergeStep(host, step));
  assert.equal(after.state, ends, `killed ${when} command ${before + 1}: ${JSON.stringify(after)}`);
  assert.deepEqual(journal.gaps, []);
  return killed;
}

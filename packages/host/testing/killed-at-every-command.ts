import assert from 'node:assert/strict';
import { milliseconds } from '@minifleet/clock';
import type { Finding, PlannedStep } from '../engine/step.ts';
import { convergeStep } from './converge-step.ts';
import { passTime, type TestHost } from './test-host.ts';

/** A host in the state to start from, and the steps it is to be brought through. */
export interface Victim {
  readonly given: TestHost;
  readonly steps: readonly PlannedStep[];
  /** Final state of the steps (default: `current`). */
  readonly ends?: Finding['state'];
  /** Whatever else must hold however it was killed. */
  readonly check?: (killed: string) => void;
}

type When = 'before' | 'during' | 'after';

/**
 * Loses the connection at the first command, the second, and so on: before it runs, while it runs and after it ran, each
 * time on a new host. The steps are carried out again and must end in sync. Returns the number of commands. This is for
 * single steps; `killedAnywhere` does it to whole plans, and in more ways. Each kill takes a new host, so a test that
 * takes seconds because of it belongs in an `.incident.test.ts`.
 */
export async function killedAtEveryCommand(make: () => Victim | Promise<Victim>): Promise<number> {
  let most = 0;
  for (const when of ['before', 'during', 'after'] as const) {
    let commands = 0;
    while (await killedAt(await make(), commands, when)) commands += 1;
    assert.ok(commands >= 3, 'it inspects, changes, and inspects again');
    most = Math.max(most, commands);
  }
  return most;
}

/** False when there was no such command any more. */
async function killedAt(victim: Victim, before: number, when: When): Promise<boolean> {
  const { given, steps, ends = 'current', check } = victim;
  const { faults, clock, host, journal, transport } = given;
  const sent = transport.roundTrips;
  faults.add({ kind: 'command', fault: { type: 'delay', by: milliseconds(0) }, times: before });
  faults.add({ kind: 'command', fault: { type: 'drop', when }, times: 1 });
  // Losing a connection after all answers came in is no loss: then it ends well.
  await passTime(clock, carryOut(victim)).catch((error: unknown) =>
    assert.equal((error as { readonly code?: string }).code, 'HOST_CONNECTION_LOST'),
  );
  const struck = transport.roundTrips - sent > before;
  faults.clear();
  await passTime(clock, carryOut(victim));
  const killed = `killed ${when} command ${before + 1}`;
  for (const step of steps) {
    const finding = await step.inspect(host);
    assert.equal(finding.state, ends, `${step.id}, ${killed}: ${JSON.stringify(finding)}`);
  }
  check?.(killed);
  assert.deepEqual(journal.gaps, [], killed);
  return struck;
}

async function carryOut({ given, steps }: Victim): Promise<void> {
  for (const step of steps) await convergeStep(given.host, step);
}

import assert from 'node:assert/strict';
import { milliseconds } from '@minifleet/clock';
import type { PlannedStep } from '../../../engine/step.ts';
import { convergeStep, passTime, type TestHost } from '../../../testing/index.ts';

export interface Interrupted {
  readonly make: () => TestHost | Promise<TestHost>;
  readonly step: PlannedStep | ((host: TestHost) => PlannedStep);
}

/**
 * Loses the connection before and after every single command of a clean run, each time on a host of its own, and then
 * converges again: that must end well, and leave nothing to do.
 */
export async function interruptedAtEveryCommand({ make, step }: Interrupted): Promise<number> {
  const of = (host: TestHost): PlannedStep => (typeof step === 'function' ? step(host) : step);
  const clean = await make();
  const from = clean.transport.roundTrips;
  await passTime(clean.clock, convergeStep(clean.host, of(clean)));
  const commands = clean.transport.roundTrips - from;
  assert.ok(commands >= 3, 'a clean run inspects, changes, and inspects again');
  for (let number = 0; number < commands; number++) {
    for (const when of ['before', 'after'] as const) {
      const lost = await make();
      const { clock, faults, host } = lost;
      faults.add({ kind: 'command', fault: { type: 'delay', by: milliseconds(0) }, times: number });
      faults.add({ kind: 'command', fault: { type: 'drop', when }, times: 1 });
      await passTime(clock, convergeStep(host, of(lost))).catch(onlyLost);
      const where = `lost ${when} command ${number + 1} of ${commands}`;
      const resumed = await passTime(clock, convergeStep(host, of(lost)));
      assert.equal(resumed.after.state, 'current', where);
      const again = await passTime(clock, convergeStep(host, of(lost)));
      assert.equal(again.before.state, 'current', where);
      assert.deepEqual(lost.journal.gaps, [], where);
    }
  }
  return commands;
}

/** Losing a connection after all answers came in is no loss, so it may have ended well. */
const onlyLost = (error: unknown): void => assert.equal((error as { code?: string }).code, 'HOST_CONNECTION_LOST');

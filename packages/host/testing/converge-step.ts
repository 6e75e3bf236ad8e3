import { pause, seconds } from '@minifleet/clock';
import type { Finding, PlannedStep } from '../engine/step.ts';
import type { Host } from '../host.ts';

export interface ConvergedStep {
  readonly before: Finding;
  readonly after: Finding;
  readonly notes: readonly string[];
}

/** One step by itself, as the engine drives it: inspect, change if it differs, let it settle, inspect again. */
export async function convergeStep(host: Host, step: PlannedStep): Promise<ConvergedStep> {
  const before = await step.inspect(host);
  if (before.state !== 'drift') return { before, after: before, notes: [] };
  const notes = await step.change(host, before);
  const { within, every } = step.settle ?? { within: seconds(0), every: seconds(1) };
  const deadline = host.clock.now() + within;
  let after = await step.inspect(host);
  while (after.state === 'drift' && host.clock.now() < deadline) {
    await pause(host.clock, every);
    after = await step.inspect(host);
  }
  return { before, after, notes };
}

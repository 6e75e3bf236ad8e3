import { applyStep } from '../engine/apply.ts';
import type { Finding, PlannedStep } from '../engine/step.ts';
import type { Host } from '../host.ts';

export interface ConvergedStep {
  readonly before: Finding;
  readonly after: Finding;
  readonly notes: readonly string[];
}

/** One step by itself, as the engine carries it out: inspect, change if it differs, let it settle, inspect again. */
export async function convergeStep(host: Host, step: PlannedStep): Promise<ConvergedStep> {
  const before = await step.inspect(host);
  if (before.state !== 'drift') return { before, after: before, notes: [] };
  const look = async () => ({ finding: await step.inspect(host) });
  const { after, notes } = await applyStep(host, step, { finding: before, look });
  if ('error' in after) throw after.error;
  return { before, after: after.finding, notes };
}

import type { InfraMachine } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import { needsOperator } from '@minifleet/errors';
import { againIn, findCondition, type Outcome, setCondition, settled, waitForWatch } from '@minifleet/kube';
import type { MachineDeps, MachineScope } from './machine-scope.ts';
import { describeFailure, type MachineConditionType, type Phase, type PhaseEnd } from './phase.ts';

export interface PhaseResult {
  readonly condition: MachineConditionType;
  readonly end: PhaseEnd;
}

export interface PhasesRun {
  /** In the order of the phases; the last one is the one that waits, if one does. */
  readonly results: readonly PhaseResult[];
  /** Error of a phase; its condition shows it already. */
  readonly failure?: { readonly error: unknown };
  /** A phase could not observe what held at its last run, so nothing new is known of the machine. */
  readonly unobserved: boolean;
}

/**
 * Runs the phases in order until one waits or throws, and sets the condition of each. The conditions of later phases keep their last
 * value: some phases remember by them, and Ready names the first that does not hold.
 */
export async function runPhases(phases: readonly Phase[], scope: MachineScope, deps: MachineDeps): Promise<PhasesRun> {
  const results: PhaseResult[] = [];
  for (const phase of phases) {
    const { condition } = phase;
    try {
      const end = await phase.run(scope, deps);
      note(scope.machine, { condition, end }, deps);
      results.push({ condition, end });
      if (end.kind === 'waiting') break;
    } catch (error) {
      const unobserved = !needsOperator(error) && holds(scope.machine, condition);
      const end = unobserved ? stillHolds(scope.machine, condition, error) : failed(condition, error);
      note(scope.machine, { condition, end }, deps);
      return { results: [...results, { condition, end }], failure: { error }, unobserved };
    }
  }
  return { results, unobserved: false };
}

/** Outcome of a reconcile in which nothing was thrown: the smallest `again` wins, whichever phase asked for it. */
export function outcomeOf({ results }: PhasesRun): Outcome {
  const stopped = results.find(({ end }) => end.kind === 'waiting');
  const why = stopped ? `${stopped.condition}: ${stopped.end.message}` : 'a phase requested another run';
  const times = results.flatMap(({ end }) => end.again ?? []);
  if (times.length > 0) return againIn(Math.min(...times) as Duration, why);
  return stopped ? waitForWatch(why) : settled();
}

function note(machine: InfraMachine, { condition, end }: PhaseResult, { clock }: MachineDeps): void {
  const status = end.kind === 'passed' ? 'True' : 'False';
  setCondition(machine, { type: condition, status, reason: end.reason, message: end.message ?? '' }, clock);
}

const holds = (machine: InfraMachine, condition: MachineConditionType): boolean =>
  findCondition(machine, condition)?.status === 'True';

/** A service that does not respond for a minute does not make Ready Nodes unready. */
function stillHolds(machine: InfraMachine, condition: MachineConditionType, error: unknown): PhaseEnd {
  const { message } = describeFailure(condition, error);
  return { kind: 'passed', reason: findCondition(machine, condition)?.reason ?? condition, message };
}

const failed = (condition: MachineConditionType, error: unknown): PhaseEnd => ({
  kind: 'waiting',
  ...describeFailure(condition, error),
});

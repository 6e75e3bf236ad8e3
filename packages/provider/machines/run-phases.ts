import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Duration } from '@minifleet/clock';
import { needsOperator } from '@minifleet/errors';
import { againIn, findCondition, type Outcome, setCondition, settled, waitForWatch } from '@minifleet/kube';
import type { MachineParts } from './parts.ts';
import type { MachineConditionType, Phase, PhaseEnd } from './phase.ts';
import { failureWords } from './phase-failure.ts';
import type { MachineScope } from './scope.ts';

export interface Reached {
  readonly condition: MachineConditionType;
  readonly end: PhaseEnd;
}

export interface PhasesRun {
  /** In their order; the last is where the list stopped, if it did. */
  readonly reached: readonly Reached[];
  /** What a phase threw; its condition says so already. */
  readonly failure?: { readonly error: unknown };
  /** A phase could not look, though what it looks at held when last seen: the pass says nothing new of the machine. */
  readonly blind: boolean;
}

/**
 * Runs the phases in order until one waits or throws, and sets the condition of each. Conditions of phases that were not
 * reached say what was last seen: some phases remember by them, and Ready names the first that does not hold.
 */
export async function runPhases(
  phases: readonly Phase[],
  scope: MachineScope,
  parts: MachineParts,
): Promise<PhasesRun> {
  const reached: Reached[] = [];
  for (const phase of phases) {
    const { condition } = phase;
    try {
      const end = await phase.run(scope, parts);
      note(scope.samm, { condition, end }, parts);
      reached.push({ condition, end });
      if (end.kind === 'waiting') break;
    } catch (error) {
      const blind = !needsOperator(error) && holds(scope.samm, condition);
      const end = blind ? stillHolds(scope.samm, condition, error) : failed(condition, error);
      note(scope.samm, { condition, end }, parts);
      return { reached: [...reached, { condition, end }], failure: { error }, blind };
    }
  }
  return { reached, blind: false };
}

/** How the pass ends when nothing was thrown: the smallest `again` wins, whichever phase asked for it. */
export function outcomeOf({ reached }: PhasesRun): Outcome {
  const stopped = reached.find(({ end }) => end.kind === 'waiting');
  const why = stopped ? `${stopped.condition}: ${stopped.end.message}` : 'a phase requested another run';
  const times = reached.flatMap(({ end }) => end.again ?? []);
  if (times.length > 0) return againIn(Math.min(...times) as Duration, why);
  return stopped ? waitForWatch(why) : settled();
}

function note(samm: ScalewayAppleSiliconMachine, { condition, end }: Reached, { clock }: MachineParts): void {
  const status = end.kind === 'passed' ? 'True' : 'False';
  setCondition(samm, { type: condition, status, reason: end.reason, message: end.message ?? '' }, clock);
}

const holds = (samm: ScalewayAppleSiliconMachine, condition: MachineConditionType): boolean =>
  findCondition(samm, condition)?.status === 'True';

/** A vendor that does not answer for a minute does not make Ready Nodes unready: what was seen holds until the contrary is. */
function stillHolds(samm: ScalewayAppleSiliconMachine, condition: MachineConditionType, error: unknown): PhaseEnd {
  const { message } = failureWords(condition, error);
  return { kind: 'passed', reason: findCondition(samm, condition)?.reason ?? condition, message };
}

const failed = (condition: MachineConditionType, error: unknown): PhaseEnd => ({
  kind: 'waiting',
  ...failureWords(condition, error),
});

import { type PlannedStep, type StepDefinition, unwanted, wanted } from '../engine/step.ts';

/**
 * The step with its wanted value, or its removal when nothing is wanted of it: turning a part off converges, too. What
 * cannot be taken off (Homebrew, Xcode) is left alone then.
 */
export function wantedOrOff<Want>(step: StepDefinition<Want>, want: Want | undefined): PlannedStep[] {
  if (want !== undefined) return [wanted(step, want)];
  const { removal } = step;
  return removal ? [unwanted({ ...step, removal })] : [];
}

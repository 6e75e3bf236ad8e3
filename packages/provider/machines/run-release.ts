import type { machineConditions, ReasonOf } from '@minifleet/api';
import { againIn, isConditionTrue, type Outcome, waitForWatch } from '@minifleet/kube';
import { noteCondition } from './note-condition.ts';
import type { MachineParts } from './parts.ts';
import type { ReleaseEnd, ReleasePhase } from './phase.ts';
import { failureWords } from './phase-failure.ts';
import type { MachineScope } from './scope.ts';
import { notReady, observe } from './summary.ts';

type DeletingReason = ReasonOf<typeof machineConditions, 'Deleting'>;

/** Runs the steps of the way back from the first, as every pass does; the condition Deleting says which one it stopped at. */
export async function runRelease(
  steps: readonly ReleasePhase[],
  scope: MachineScope,
  parts: MachineParts,
): Promise<ReleaseEnd> {
  announce(scope, parts);
  for (const step of steps) {
    const end = await step.run(scope, parts).catch((error: unknown) => {
      note(scope, parts, { reason: step.reason, message: failureWords('Deleting', error).message });
      throw error;
    });
    if (end.kind === 'waiting') {
      note(scope, parts, end);
      return end;
    }
  }
  note(scope, parts, { reason: 'DeletionCompleted', message: 'the host is released' });
  return { kind: 'done' };
}

/** Before anything is done, and once: the first pass writes the condition. */
function announce({ samm }: MachineScope, { events }: MachineParts): void {
  if (isConditionTrue(samm, 'Deleting')) return;
  const note = `releasing the host (hostRelease: ${samm.spec.hostRelease})`;
  events.record({ regarding: samm, type: 'Normal', reason: 'Releasing', action: 'Release', note });
}

function note(
  { samm }: MachineScope,
  { clock }: MachineParts,
  { reason, message }: { readonly reason: DeletingReason; readonly message: string },
): void {
  noteCondition(samm, clock, { type: 'Deleting', status: 'True', reason, message });
  noteCondition(samm, clock, notReady('Deleting', reason, message));
  observe(samm);
}

export const outcomeOfRelease = ({ reason, message, again }: Extract<ReleaseEnd, { kind: 'waiting' }>): Outcome => {
  const why = `${reason}: ${message}`;
  return again === undefined ? waitForWatch(why) : againIn(again, why);
};

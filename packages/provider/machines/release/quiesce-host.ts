import { minutes } from '@minifleet/clock';
import { findCondition } from '@minifleet/kube';
import { uidOf } from '../../host-work/job-entry.ts';
import { cancelWork } from '../cancel-work.ts';
import type { MachineParts } from '../parts.ts';
import type { ReleaseEnd, ReleasePhase } from '../phase.ts';
import { failureWords } from '../phase-failure.ts';
import type { MachineScope } from '../scope.ts';
import { quietPlan } from './quiet-plan.ts';

const DONE: ReleaseEnd = { kind: 'done' };
const TRY_AGAIN = minutes(1);

/** Where a deletion can stand before this step is over. What follows needs no credentials, and they must not be learnt again. */
const NOT_PAST: ReadonlySet<string> = new Set(['NotDeleting', 'StoppingWork', 'RemovingRunner', 'QuiescingHost']);

/**
 * A host that is kept loses its agent and its runner first: core deletes the Node only after this object is gone, and an agent that
 * still runs would register it again. A host that does not answer is let go all the same when its time is over.
 */
export const quiesceHost: ReleasePhase = {
  reason: 'QuiescingHost',
  async run(scope, parts) {
    if (!isNeeded(scope)) return DONE;
    if (isTooLate(scope, parts)) return giveUp(scope, parts);
    // Before this step was written down, a job is an older one, and was cancelled.
    const state = stepOf(scope) === 'QuiescingHost' ? parts.work.of(uidOf(scope.samm))?.state : undefined;
    switch (state?.kind) {
      case undefined:
        return (await start(scope, parts)) ? waiting('removing the agent from the host') : DONE;
      case 'queued':
      case 'running':
        return waiting('removing the agent from the host');
      case 'converged':
        if (!state.report.error) return DONE;
        return failed(scope, parts, state.report.error);
      case 'failed':
        return failed(scope, parts, state.error);
      case 'cancelled':
      case 'inspected':
        return failed(scope, parts);
    }
  },
};

const stepOf = ({ samm }: MachineScope): string => findCondition(samm, 'Deleting')?.reason ?? 'NotDeleting';

/** A host that nothing was ever done on has no agent. */
function isNeeded(scope: MachineScope): boolean {
  const { spec, status } = scope.samm;
  const touched = (status?.steps ?? []).length > 0 || status?.plan?.applied !== undefined || scope.node !== undefined;
  return spec.hostRelease === 'Retain' && spec.claimRef !== undefined && touched && NOT_PAST.has(stepOf(scope));
}

function isTooLate({ samm }: MachineScope, { clock, settings }: MachineParts): boolean {
  const since = Date.parse(samm.metadata.deletionTimestamp ?? '');
  return clock.now() - since > settings.bootstrap.deadline;
}

/** False when the host is not this machine's, and so not to be touched. */
async function start(scope: MachineScope, parts: MachineParts): Promise<boolean> {
  const { samm, found } = scope;
  const standing = await parts.claims.standing(samm, scope.claim);
  if (standing.kind === 'not held') return false;
  found.server = standing.server;
  found.fleetKey = await parts.credentials.fleetKey(samm);
  found.access = await parts.credentials.hostAccess(samm, standing.server);
  const { plan, only } = quietPlan(samm.metadata.name, parts.settings.fleet, found.access);
  parts.work.start({ scope, kind: 'converge', plan, only, allow: 'running VMs', reboot: 'never' });
  return true;
}

/** Forgotten, so that the next pass begins anew. */
function failed({ samm }: MachineScope, { work }: MachineParts, error?: unknown): ReleaseEnd {
  work.forget(uidOf(samm));
  const why = error === undefined ? 'the job was cancelled' : failureWords('Deleting', error).message;
  return { ...waiting(`the agent could not be removed from the host: ${why}`), again: TRY_AGAIN };
}

async function giveUp(scope: MachineScope, parts: MachineParts): Promise<ReleaseEnd> {
  await cancelWork(scope, parts, 'the host could not be quiesced in time');
  const note =
    'the agent may still run on the host and register its Node again; remove it by hand, or reinstall the host';
  parts.events.record({ regarding: scope.samm, type: 'Warning', reason: 'NotQuiesced', action: 'Release', note });
  return DONE;
}

const waiting = (message: string) => ({ kind: 'waiting', reason: 'QuiescingHost', message }) as const;

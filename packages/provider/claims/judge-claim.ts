import { type HostClaim, hostClaimReasons as reasons, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { type Duration, milliseconds, minutes } from '@minifleet/clock';
import { type ConditionNote, deleting, keyOf, keyString } from '@minifleet/kube';
import { bearingOf } from './host-names.ts';
import { worthKeeping } from './let-go.ts';
import { isOver } from './quarantine.ts';

type Samm = ScalewayAppleSiliconMachine;

/** What is known of a claim in this cluster. */
export interface ClaimView {
  readonly claim: HostClaim;
  /** The machine of machineRef, if it exists under that UID. */
  readonly holder: Samm | undefined;
  /** Other machines that name this host (I13). */
  readonly others: readonly Samm[];
  readonly clusterId: string;
  readonly now: number;
}

/**
 * `let go`: end the hold, nothing happened at the vendor. `remove`: nothing in it is worth keeping. `stay` otherwise.
 * `again`: when time alone changes the answer.
 */
export interface ClaimVerdict {
  readonly conditions: readonly ConditionNote[];
  readonly fate: 'stay' | 'let go' | 'remove';
  readonly quarantineOver: boolean;
  readonly again?: Duration;
}

/** A holder that has not written its claim down yet does so in its next pass, which does not wake this one. */
const UNNAMED = minutes(1);

export function judgeClaim(view: ClaimView): ClaimVerdict {
  const held = heldNote(view);
  const mirrored = mirroredNote(view.claim);
  const conditions = [held, mirrored, quarantinedNote(view), readyNote([held, mirrored]), deletingNote(view)];
  return { conditions, fate: fateOf(view), ...quarantineTime(view) };
}

function heldNote({ claim, holder, others, clusterId }: ClaimView): ConditionNote {
  const { machineRef, clusterID = clusterId } = claim.spec;
  const no = (reason: string, message: string): ConditionNote => ({ type: 'Held', status: 'False', reason, message });
  if (!machineRef) return no(reasons.Released, 'no machine holds the host');
  const name = `${machineRef.namespace}/${machineRef.name}`;
  if (clusterID !== clusterId)
    return no(reasons.HeldByOtherCluster, `${name} of the cluster ${clusterID} holds the host`);
  if (!holder) return no(reasons.HolderMissing, `the machine ${name} (UID ${machineRef.uid}) does not exist`);
  if (others.length > 0) {
    const named = others.map(other => keyString(keyOf(other))).toSorted();
    return no(reasons.MultipleHolders, `${name} holds the host; ${named.join(', ')} also names it and is fenced`);
  }
  return { type: 'Held', status: 'True', reason: reasons.HeldByMachine, message: name };
}

/** From what was last seen: machines and sweep write it down, so that the vendor is asked once and not by everybody. */
function mirroredNote(claim: HostClaim): ConditionNote {
  const name = claim.status?.vendorName;
  const no = (reason: string, message: string): ConditionNote => ({
    type: 'NameMirrored',
    status: 'False',
    reason,
    message,
  });
  if (name === NOT_AT_VENDOR) return no(reasons.HostMissing, 'the host no longer exists at the vendor');
  const bearing = name === undefined ? 'free' : bearingOf(name, claim);
  if (bearing === 'foreign') return no(reasons.NameTaken, `the host is named ${name} at the vendor`);
  if (bearing === 'free') return no(reasons.RenamePending, name === undefined ? 'not checked yet' : `still ${name}`);
  return { type: 'NameMirrored', status: 'True', reason: reasons.NameMirrored };
}

/** status.vendorName of a host that was looked for and not found. */
export const NOT_AT_VENDOR = '';

function quarantinedNote({ claim, now }: ClaimView): ConditionNote {
  const yes = (reason: string, message: string): ConditionNote => ({
    type: 'Quarantined',
    status: 'True',
    reason,
    message,
  });
  if (claim.spec.quarantine) return yes(reasons.OperatorRequest, claim.spec.quarantine.reason);
  const aside = claim.status?.quarantine;
  if (!aside || isOver(aside, now)) return { type: 'Quarantined', status: 'False', reason: reasons.NotQuarantined };
  const until =
    aside.until === undefined ? 'an operator has inspected the host and deletes this HostClaim' : aside.until;
  return yes(reasons.FailedTooOften, `until ${until}; failures: ${aside.reasons.join(', ')}`);
}

function readyNote(needed: readonly ConditionNote[]): ConditionNote {
  const missing = needed.find(({ status }) => status !== 'True');
  if (!missing) return { type: 'Ready', status: 'True', reason: reasons.Ready };
  return { type: 'Ready', status: 'False', reason: reasons.NotReady, message: `${missing.type}: ${missing.message}` };
}

function deletingNote({ claim, holder }: ClaimView): ConditionNote {
  const yes = (reason: string, message: string): ConditionNote => ({
    type: 'Deleting',
    status: 'True',
    reason,
    message,
  });
  if (holder?.metadata.deletionTimestamp) {
    return yes(reasons.ReturningHost, `${holder.metadata.name} is being deleted and returns the host`);
  }
  if (!deleting(claim)) return { type: 'Deleting', status: 'False', reason: reasons.NotDeleting };
  if (!claim.spec.machineRef) return yes(reasons.DeletionCompleted, '');
  if (!holder)
    return yes(
      reasons.ReturningHost,
      'its machine no longer exists; the next sweep returns the host or removes only the claim',
    );
  return yes(reasons.WaitingForHolder, `delete the Machine of ${claim.spec.machineRef.name} to free its host`);
}

function fateOf({ claim, holder, clusterId }: ClaimView): ClaimVerdict['fate'] {
  const { machineRef, clusterID = clusterId } = claim.spec;
  if (!machineRef) return deleting(claim) ? 'let go' : worthKeeping(claim) ? 'stay' : 'remove';
  // A copy that clusterctl left here: the host is none of ours, so a person who deletes the copy changes nothing on it.
  if (clusterID !== clusterId) return deleting(claim) ? 'let go' : 'stay';
  const named = holder?.spec.claimRef?.name;
  return named !== undefined && named !== claim.metadata.name ? 'let go' : 'stay';
}

function quarantineTime({ claim, holder, now }: ClaimView): Pick<ClaimVerdict, 'quarantineOver' | 'again'> {
  const aside = claim.status?.quarantine;
  const quarantineOver = aside !== undefined && isOver(aside, now);
  const lifted =
    !quarantineOver && aside?.until !== undefined ? milliseconds(Date.parse(aside.until) - now) : undefined;
  const unnamed = holder && holder.spec.claimRef?.name === undefined ? UNNAMED : undefined;
  const times = [lifted, unnamed].filter(time => time !== undefined);
  return { quarantineOver, ...(times.length > 0 ? { again: milliseconds(Math.min(...times)) } : {}) };
}

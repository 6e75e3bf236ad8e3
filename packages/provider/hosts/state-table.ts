import type { HostRemedies, HostState, MacHost } from '@minifleet/api';
import { isConditionTrue } from '@minifleet/kube';
import { isQuarantined } from './failure-record.ts';
import type { HostStateTable } from './host-scope.ts';
import { available } from './states/available.ts';
import { bootstrapping } from './states/bootstrap-host.ts';
import { claimed } from './states/claimed.ts';
import { missing } from './states/missing.ts';
import { quarantined } from './states/quarantined.ts';
import { releasing } from './states/releasing.ts';
import { reinstalling, restarting } from './states/restarting.ts';
import { serving } from './states/serve-host.ts';

/** Handler of each state of a host. */
export const stateTable: HostStateTable = {
  Available: available,
  Claimed: claimed,
  Bootstrapping: bootstrapping,
  Serving: serving,
  Restarting: restarting,
  Reinstalling: reinstalling,
  Releasing: releasing,
  Quarantined: quarantined,
  Missing: missing,
};

/** Facts that a state depends on and that the object does not hold. */
interface StateInput {
  readonly now: number;
  /** False if the vendor no longer lists the server. */
  readonly listed: boolean;
}

/**
 * State of a host. It follows from facts that are written before the effect that they announce, so a restarted provider, and the target
 * of a clusterctl move, find the same state.
 */
export function stateOf(host: MacHost, { now, listed }: StateInput): HostState {
  const { spec, status = {} } = host;
  if (!listed) return 'Missing';
  if (!spec.consumerRef) return isQuarantined(host, now) ? 'Quarantined' : 'Available';
  const { restart, reinstall, giveUp } = status.remedies ?? {};
  if (spec.release !== undefined || giveUp) return 'Releasing';
  if (status.servedSince !== undefined) return 'Serving';
  if (isPending(reinstall)) return 'Reinstalling';
  if (isPending(restart)) return 'Restarting';
  return isConditionTrue(host, 'NameMirrored') && isConditionTrue(host, 'CredentialsReady')
    ? 'Bootstrapping'
    : 'Claimed';
}

/** Requested, and the vendor has neither accepted nor refused it. */
const isPending = (remedy: HostRemedies['restart']): boolean =>
  remedy !== undefined && remedy.acceptedTime === undefined && remedy.refusal === undefined;

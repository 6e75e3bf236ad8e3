import { type InfraMachine, type MacHost, names, zoneOf } from '@minifleet/api';
import { findCondition } from '@minifleet/kube';
import { serverIDOf } from '../cluster-api/host-ids.ts';
import type { MachineScope } from './machine-scope.ts';

/** Field of the previous system, on machines of rented hosts only. */
type OlderStatus = InfraMachine['status'] & { serverID?: string };

/** Shows the server id from the claim on, where operators of the previous system read it, and clear it to keep a host. */
export function showServerID(machine: InfraMachine, { spec }: MacHost): void {
  const id = spec.source.scaleway?.serverID;
  if (id === undefined || zoneOf(machine) === undefined) return;
  const status: OlderStatus = { ...machine.status, serverID: id };
  machine.status = status;
}

/** A machine that gave up its host would otherwise claim it again. */
export function forgetServerID(machine: InfraMachine): void {
  const { serverID: _id, ...status }: OlderStatus = machine.status ?? {};
  machine.status = status;
}

/** Conditions of the previous system, which nothing updates any more. */
const OLDER_CONDITIONS: ReadonlySet<string> = new Set(['Provisioned', 'Bootstrapped']);

/** Removes the conditions of the previous system once its host is known to serve. */
export function forgetOlderConditions(machine: InfraMachine, { status }: MacHost): void {
  const { conditions } = machine.status ?? {};
  if (status?.servedSince === undefined || !conditions?.some(({ type }) => OLDER_CONDITIONS.has(type))) return;
  machine.status = { ...machine.status, conditions: conditions.filter(({ type }) => !OLDER_CONDITIONS.has(type)) };
}

/**
 * True for a deleted machine that was paused and whose server id was cleared: the recipe with which operators of the previous system
 * deleted a machine and kept its host (I11). A machine whose whole status was lost, for example by a restore from a backup, does not
 * match: it has no condition HostClaimed either. A release that has begun stays as it is.
 */
export function isDetachedByHand({ machine, host }: Pick<MachineScope, 'machine' | 'host'>): boolean {
  const { metadata, spec } = machine;
  if (metadata.annotations?.[names.clusterApi.pausedAnnotation] === undefined || zoneOf(machine) === undefined)
    return false;
  if (spec.hostRelease === 'Retain' || host?.spec.release !== undefined) return false;
  const isClaimed = spec.claimRef !== undefined && findCondition(machine, 'HostClaimed') !== undefined;
  return isClaimed && serverIDOf(machine) === undefined;
}

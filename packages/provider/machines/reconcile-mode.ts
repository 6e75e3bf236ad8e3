import { type InfraMachine, names } from '@minifleet/api';
import { deleting, hasFinalizer } from '@minifleet/kube';
import { isMovedAway, pausedBy } from '../cluster-api/pause.ts';
import type { MachineScope } from './machine-scope.ts';

const { clusterApi } = names;

/**
 * What a reconcile may do, decided before anything is done.
 * `hands off`: the Cluster is paused or the machine is being moved; its deletion waits, too.
 * `paused`: only this machine is paused: it claims no host and nothing is done on its host, but a deletion proceeds.
 * `released`: the machine is being deleted and the provider has finished its part.
 * `left behind`: the machine is being deleted, and its Machine and Cluster are gone. Cluster API keeps both until this object is gone, so
 * they were removed from outside, for example by a `clusterctl move` that does not know these kinds. The target cluster may use the host.
 */
export type ReconcileMode =
  | 'hands off'
  | 'left behind'
  | 'released'
  | 'release'
  | 'wait for owner'
  | 'paused'
  | 'provision';

export function reconcileMode({
  machine,
  ownerMachine,
  cluster,
  kind,
}: Pick<MachineScope, 'machine' | 'ownerMachine' | 'cluster' | 'kind'>): ReconcileMode {
  if (isMovedAway(machine) || cluster?.spec?.paused === true) return 'hands off';
  if (deleting(machine) && !hasFinalizer(machine, kind.finalizer)) return 'released';
  if (deleting(machine)) return ownerMachine || cluster || !namesCluster(machine) ? 'release' : 'left behind';
  if (!ownerMachine) return 'wait for owner';
  return pausedBy(machine, cluster) === undefined ? 'provision' : 'paused';
}

const namesCluster = ({ metadata }: InfraMachine): boolean =>
  metadata.labels?.[clusterApi.clusterNameLabel] !== undefined;

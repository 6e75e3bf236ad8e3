import { names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { deleting, hasFinalizer } from '@minifleet/kube';
import { isMovedAway, pausedBy } from '../cluster-api/pause.ts';
import type { MachineScope } from './scope.ts';

const { clusterApi, finalizers } = names;

/**
 * What may be done about a machine, before anything is.
 * `hands off`: its Cluster is paused or it is being moved away, and its deletion is not ours to carry out.
 * `paused`: it alone is; nothing is claimed and nothing done on its host, though a deletion goes on.
 * `let go`: it is being deleted and we have no part in that any more.
 * `left behind`: it is being deleted, and its Machine and its Cluster are gone. Core keeps both until this object is gone, so somebody
 * took them from under it: `clusterctl move` does where it does not know our kinds, and the host then works for the target.
 */
export type Stance = 'hands off' | 'left behind' | 'let go' | 'release' | 'wait for owner' | 'paused' | 'provision';

export function stanceOn({ samm, machine, cluster }: Pick<MachineScope, 'samm' | 'machine' | 'cluster'>): Stance {
  if (isMovedAway(samm) || cluster?.spec?.paused === true) return 'hands off';
  if (deleting(samm) && !hasFinalizer(samm, finalizers.machine)) return 'let go';
  if (deleting(samm)) return machine || cluster || !namesCluster(samm) ? 'release' : 'left behind';
  if (!machine) return 'wait for owner';
  return pausedBy(samm, cluster) === undefined ? 'provision' : 'paused';
}

const namesCluster = ({ metadata }: ScalewayAppleSiliconMachine): boolean =>
  metadata.labels?.[clusterApi.clusterNameLabel] !== undefined;

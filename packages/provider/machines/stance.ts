import { names } from '@minifleet/api';
import { deleting, hasFinalizer } from '@minifleet/kube';
import { isMovedAway, pausedBy } from '../cluster-api/pause.ts';
import type { MachineScope } from './scope.ts';

const { finalizers } = names;

/**
 * What may be done about a machine, before anything is.
 * `hands off`: its Cluster is paused or it is being moved away, and its deletion is not ours to carry out.
 * `paused`: it alone is; nothing is claimed and nothing done on its host, though a deletion goes on.
 * `let go`: it is being deleted and we have no part in that any more.
 */
export type Stance = 'hands off' | 'let go' | 'release' | 'wait for owner' | 'paused' | 'provision';

export function stanceOn({ samm, machine, cluster }: Pick<MachineScope, 'samm' | 'machine' | 'cluster'>): Stance {
  if (isMovedAway(samm) || cluster?.spec?.paused === true) return 'hands off';
  if (deleting(samm)) return hasFinalizer(samm, finalizers.machine) ? 'release' : 'let go';
  if (!machine) return 'wait for owner';
  return pausedBy(samm, cluster) === undefined ? 'provision' : 'paused';
}

import { names } from '@minifleet/api';
import { type Outcome, waitForWatch } from '@minifleet/kube';
import { cancelWork } from './cancel-work.ts';
import { noteCondition } from './note-condition.ts';
import type { MachineParts } from './parts.ts';
import type { MachineScope } from './scope.ts';
import { notReady, observe } from './summary.ts';

/** Touches neither host nor claim: both may be another cluster's by now. A Cluster of that name wakes the machine. */
export async function stayBehind(scope: MachineScope, parts: MachineParts): Promise<Outcome> {
  const { samm } = scope;
  const cluster = samm.metadata.labels?.[names.clusterApi.clusterNameLabel];
  const words =
    `its Machine and the Cluster ${cluster} no longer exist, as after a clusterctl move that left this object behind. ` +
    `If another cluster uses the host, remove the finalizer ${names.finalizers.machine}; otherwise recreate the Cluster ${cluster} to continue the deletion`;
  await cancelWork(scope, parts, words);
  noteCondition(samm, parts.clock, { type: 'Deleting', status: 'True', reason: 'LeftBehind', message: words });
  noteCondition(samm, parts.clock, notReady('Deleting', 'LeftBehind', words));
  observe(samm);
  return waitForWatch(words);
}

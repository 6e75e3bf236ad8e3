import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import { names } from '@minifleet/api';
import { isConditionTrue, type Outcome, waitForWatch } from '@minifleet/kube';
import { pausedBy } from '../cluster-api/pause.ts';
import { cancelWork } from './cancel-work.ts';
import { noteCondition } from './note-condition.ts';
import type { MachineParts } from './parts.ts';
import type { MachineScope } from './scope.ts';
import { notReady, observe } from './summary.ts';

const { blockMoveAnnotation } = names.clusterApi;

/** Ends what runs, says so, and only then lets clusterctl move the machine. All else stays as it was. */
export async function holdStill(scope: MachineScope, parts: MachineParts): Promise<Outcome> {
  const { samm, cluster } = scope;
  const words = pausedBy(samm, cluster) ?? '';
  await cancelWork(scope, parts, words);
  blockMove(samm, false);
  noteCondition(samm, parts.clock, { type: 'Paused', status: 'True', reason: 'Paused', message: words });
  // One that is not Ready would go on telling of a wait that nobody works to end.
  if (!isConditionTrue(samm, 'Ready')) noteCondition(samm, parts.clock, notReady('Paused', 'Paused', words));
  observe(samm);
  return waitForWatch(words);
}

/** clusterctl does not move what bears this annotation: a host must not be worked on from two clusters. */
export function blockMove({ metadata }: ScalewayAppleSiliconMachine, busy: boolean): void {
  if (!busy) delete metadata.annotations?.[blockMoveAnnotation];
  else metadata.annotations = { ...metadata.annotations, [blockMoveAnnotation]: '' };
}

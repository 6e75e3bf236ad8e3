import { deleting, findCondition, isConditionTrue } from '@minifleet/kube';
import { nameOf } from '../../cluster/machines.ts';
import type { FleetMachineDeployment } from '../../cluster/resources.ts';
import type { EntitySnapshot } from '../entity.ts';
import { latestOf, transitionsOf } from './transition-times.ts';

/** A fleet is healthy while it is Available. A fleet that never was Available is starting, however long that takes. */
export function fleetSnapshot(fleet: FleetMachineDeployment): EntitySnapshot {
  const { name, namespace = '', creationTimestamp = '' } = fleet.metadata;
  const available = findCondition(fleet, 'Available');
  const short = available?.status === 'False' ? available : undefined;
  const problems = short
    ? [
        {
          source: 'Available',
          label: 'not Available',
          message: short.message,
          since: Date.parse(short.lastTransitionTime),
        },
      ]
    : [];
  return {
    ...{ key: `fleet ${nameOf(fleet)}`, kind: 'fleet', namespace, name, problems },
    ...{ aliases: [name], state: stateOf(fleet), phase: '', message: '', syncedSteps: [] },
    served: false,
    createdAt: Date.parse(creationTimestamp),
    changedAt: latestOf(transitionsOf(fleet)),
  };
}

function stateOf(fleet: FleetMachineDeployment): EntitySnapshot['state'] {
  if (deleting(fleet)) return 'deleting';
  if (isConditionTrue(fleet, 'Paused')) return 'paused';
  return isConditionTrue(fleet, 'Available') ? 'healthy' : 'starting';
}

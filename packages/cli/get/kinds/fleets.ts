import type { RunnerPool } from '@minifleet/api';
import * as names from '@minifleet/api/names';
import { deleting, findCondition, isConditionTrue } from '@minifleet/kube/client';
import { blockingCondition } from '../../cluster/machine-conditions.ts';
import type { InfraMachine } from '../../cluster/machines.ts';
import { type FleetMachineDeployment, machines, macMachines } from '../../cluster/resources.ts';
import type { Paint } from '../../terminal/paint.ts';
import { age } from '../age.ts';
import type { ResourceListing } from '../listing.ts';

const TEMPLATE_KINDS: readonly unknown[] = [machines, macMachines].map(({ kind }) => `${kind}Template`);

/** MachineDeployments of Macs with the runners of their RunnerPools. */
export const fleets: ResourceListing = {
  sources: ['deployments', 'machines', 'pools'],
  columns: [
    { title: 'NAMESPACE', drop: 2 },
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'READY' },
    { title: 'RUNNERS' },
    { title: 'AGE', drop: 1 },
    { title: 'CLUSTER', wide: true },
    { title: 'UP-TO-DATE', wide: true },
    { title: 'POOLS', wide: true },
    { title: 'WHY' },
  ],
  lines: ({ deployments, machines: all, pools }, now) =>
    deployments.filter(isFleet).map(fleet => {
      const macs = all.filter(machine => belongsToFleet(machine, fleet));
      const served = pools.filter(pool => macs.some(({ spec }) => spec.fleetName === pool.spec.fleetSelector));
      const { state, mood, why } = stateOf(fleet, macs);
      return {
        object: fleet,
        mood,
        cells: {
          NAMESPACE: fleet.metadata.namespace ?? '',
          NAME: fleet.metadata.name,
          STATE: state,
          READY: `${fleet.status?.readyReplicas ?? 0}/${fleet.spec?.replicas ?? 0}`,
          RUNNERS: runnersOf(served),
          AGE: age(fleet.metadata.creationTimestamp, now),
          CLUSTER: fleet.spec?.clusterName ?? '',
          'UP-TO-DATE': String(fleet.status?.upToDateReplicas ?? 0),
          POOLS: served.map(({ metadata }) => metadata.name).join(','),
          WHY: why,
        },
      };
    }),
};

export const isFleet = ({ spec }: FleetMachineDeployment): boolean =>
  TEMPLATE_KINDS.includes(spec?.template?.spec?.infrastructureRef?.kind);

export const belongsToFleet = ({ metadata }: InfraMachine, fleet: FleetMachineDeployment): boolean =>
  metadata.namespace === fleet.metadata.namespace &&
  metadata.labels?.[names.clusterApi.deploymentNameLabel] === fleet.metadata.name;

/** Renders `3 busy, 1 idle of 4` for the pools on these Macs. A pool that spans several fleets counts in each. */
function runnersOf(pools: readonly RunnerPool[]): string {
  if (pools.length === 0) return '';
  const sum = (count: (pool: RunnerPool) => number | undefined): number =>
    pools.reduce((total, pool) => total + (count(pool) ?? 0), 0);
  const [busy, idle, desired] = [
    sum(({ status }) => status?.busy),
    sum(({ status }) => status?.idle),
    sum(({ spec }) => spec.replicas),
  ];
  return `${busy} busy, ${idle} idle of ${desired}`;
}

function stateOf(
  fleet: FleetMachineDeployment,
  macs: readonly InfraMachine[],
): { readonly state: string; readonly mood: keyof Paint; readonly why: string } {
  const desired = fleet.spec?.replicas ?? 0;
  const { readyReplicas = 0, upToDateReplicas = 0, replicas = 0 } = fleet.status ?? {};
  const first = macs.map(blockingCondition).find(obstacle => obstacle !== undefined);
  const why = first ? first.message || first.reason : '';
  if (deleting(fleet))
    return { state: 'Deleting', mood: 'quiet', why: findCondition(fleet, 'Deleting')?.message ?? '' };
  if (isConditionTrue(fleet, 'Paused')) return { state: 'Paused', mood: 'quiet', why: '' };
  if (readyReplicas < desired) return { state: 'Degraded', mood: 'bad', why };
  if (upToDateReplicas < desired || replicas > desired) return { state: 'Rolling', mood: 'doubtful', why };
  return { state: 'Ready', mood: 'good', why: '' };
}

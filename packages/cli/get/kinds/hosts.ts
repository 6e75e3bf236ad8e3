import type { HostClaim } from '@minifleet/api';
import * as names from '@minifleet/api/names';
import { type Condition, deleting, findCondition, type Node } from '@minifleet/kube/client';
import { blockingCondition, isInProgress, unmetConditions } from '../../cluster/machine-conditions.ts';
import { hostOf, parseProviderID, type ScalewayAppleSiliconMachine } from '../../cluster/machines.ts';
import type { Paint } from '../../terminal/paint.ts';
import { age } from '../age.ts';
import type { ListingRow, ResourceListing } from '../listing.ts';

/** Machines with their Node and host, followed by hosts without a machine. */
export const hosts: ResourceListing = {
  sources: ['machines', 'nodes', 'claims'],
  columns: [
    { title: 'NAMESPACE', drop: 3 },
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'SINCE', drop: 0 },
    { title: 'NODE', drop: 2 },
    { title: 'FLEET', drop: 1 },
    { title: 'ADDRESS', wide: true },
    { title: 'MACOS', wide: true },
    { title: 'AGENT', wide: true },
    { title: 'ZONE', wide: true },
    { title: 'HOST', wide: true },
    { title: 'WHY' },
  ],
  lines({ machines, nodes, claims }, now) {
    const nodeOf = new Map(nodes.map(node => [parseProviderID(node.spec?.providerID)?.id, node]));
    const held = new Set(machines.map(hostOf));
    const left = claims.filter(({ metadata, spec }) => spec.machineRef === undefined && !held.has(metadata.name));
    return [
      ...machines.map(machine => machineLine(machine, nodeOf.get(hostOf(machine) ?? ''), now)),
      ...left.map(claim => claimLine(claim, now)),
    ];
  },
};

function machineLine(machine: ScalewayAppleSiliconMachine, node: Node | undefined, now: number): ListingRow {
  const { state, mood, by, why } = stateOf(machine);
  return {
    object: machine,
    mood,
    cells: {
      NAMESPACE: machine.metadata.namespace ?? '',
      NAME: machine.metadata.name,
      STATE: state,
      SINCE: age(by?.lastTransitionTime ?? machine.metadata.creationTimestamp, now),
      NODE: node?.metadata.name ?? '',
      FLEET: machine.metadata.labels?.[names.clusterApi.deploymentNameLabel] ?? machine.spec.fleetName ?? '',
      ADDRESS: machine.status?.addresses?.[0]?.address ?? '',
      MACOS: machine.status?.osImage ?? machine.spec.os,
      AGENT: node?.metadata.labels?.[names.labels.agentVersion] ?? '',
      ZONE: machine.spec.zone,
      HOST: hostOf(machine) ?? '',
      WHY: messageOf(why),
    },
  };
}

/** Returns the message of a condition, or its reason. */
const messageOf = (condition: Condition | undefined): string => condition?.message || condition?.reason || '';

interface HostDisplayState {
  readonly state: string;
  readonly mood: keyof Paint;
  /** Condition whose transition time is shown. */
  readonly by: Condition | undefined;
  /** Condition that explains the state. */
  readonly why: Condition | undefined;
}

function stateOf(machine: ScalewayAppleSiliconMachine): HostDisplayState {
  const [ready, paused] = ['Ready', 'Paused'].map(type => findCondition(machine, type));
  if (deleting(machine)) return shown('Deleting', 'quiet', findCondition(machine, 'Deleting'));
  if (paused?.status === 'True') return shown('Paused', 'quiet', paused);
  if (ready?.status === 'True') return serving(machine, ready);
  const obstacle = blockingCondition(machine);
  if (!obstacle) return shown('New', 'doubtful', undefined);
  if (hostOf(machine) === undefined) return shown('NoHost', 'doubtful', obstacle);
  return isInProgress(obstacle) ? shown('Starting', 'doubtful', obstacle) : shown('NotReady', 'bad', obstacle);
}

const shown = (state: string, mood: keyof Paint, by: Condition | undefined): HostDisplayState => ({
  state,
  mood,
  by,
  why: by,
});

/** Shows a false condition of a Ready host, so that it is noticed before the host fails. */
function serving(machine: ScalewayAppleSiliconMachine, by: Condition): HostDisplayState {
  const [why] = unmetConditions(machine);
  return { state: 'Ready', mood: why ? 'doubtful' : 'good', by, why };
}

function claimLine(claim: HostClaim, now: number): ListingRow {
  const quarantine = claim.spec.quarantine ?? claim.status?.quarantine;
  return {
    object: claim,
    mood: quarantine ? 'doubtful' : 'quiet',
    cells: {
      NAME: claim.metadata.name,
      STATE: quarantine ? 'Quarantined' : 'Free',
      SINCE: age(quarantine?.since ?? claim.metadata.creationTimestamp, now),
      ZONE: claim.spec.zone,
      HOST: claim.metadata.name,
      WHY: claim.spec.quarantine?.reason ?? claim.status?.quarantine?.reasons.join(', ') ?? '',
    },
  };
}

import type { HostClaim } from '@minifleet/api';
import * as names from '@minifleet/api/names';
import { type Condition, deleting, findCondition, type Node } from '@minifleet/kube/client';
import { isUnderWay, obstacleOf } from '../../cluster/host-troubles.ts';
import { hostOf, parseProviderID, type Samm } from '../../cluster/machines.ts';
import type { Paint } from '../../terminal/paint.ts';
import { age } from '../age.ts';
import type { Line, Listing } from '../listing.ts';

/** Machines with their Node and their host; hosts that no machine holds come after them. */
export const hosts: Listing = {
  sources: ['machines', 'nodes', 'claims'],
  columns: [
    { title: 'NAMESPACE', drop: 3 },
    { title: 'NAME' },
    { title: 'STATE' },
    { title: 'SINCE' },
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
      ...machines.map(samm => machineLine(samm, nodeOf.get(hostOf(samm) ?? ''), now)),
      ...left.map(claim => claimLine(claim, now)),
    ];
  },
};

function machineLine(samm: Samm, node: Node | undefined, now: number): Line {
  const { state, mood, by } = stateOf(samm);
  return {
    object: samm,
    mood,
    cells: {
      NAMESPACE: samm.metadata.namespace ?? '',
      NAME: samm.metadata.name,
      STATE: state,
      SINCE: age(by?.lastTransitionTime ?? samm.metadata.creationTimestamp, now),
      NODE: node?.metadata.name ?? '',
      FLEET: samm.metadata.labels?.[names.clusterApi.deploymentNameLabel] ?? samm.spec.fleetName ?? '',
      ADDRESS: samm.status?.addresses?.[0]?.address ?? '',
      MACOS: samm.status?.osImage ?? samm.spec.os,
      AGENT: node?.metadata.labels?.[names.labels.agentVersion] ?? '',
      ZONE: samm.spec.zone,
      HOST: hostOf(samm) ?? '',
      WHY: state === 'Ready' ? '' : wordsOf(by),
    },
  };
}

/** A message says it all; a reason alone is better than nothing. */
const wordsOf = (condition: Condition | undefined): string => condition?.message || condition?.reason || '';

interface Shown {
  readonly state: string;
  readonly mood: keyof Paint;
  /** The condition that tells. */
  readonly by: Condition | undefined;
}

function stateOf(samm: Samm): Shown {
  const [ready, paused] = ['Ready', 'Paused'].map(type => findCondition(samm, type));
  if (deleting(samm)) return { state: 'Deleting', mood: 'quiet', by: findCondition(samm, 'Deleting') };
  if (paused?.status === 'True') return { state: 'Paused', mood: 'quiet', by: paused };
  if (ready?.status === 'True') return { state: 'Ready', mood: 'good', by: ready };
  const obstacle = obstacleOf(samm);
  if (!obstacle) return { state: 'New', mood: 'doubtful', by: undefined };
  if (hostOf(samm) === undefined) return { state: 'NoHost', mood: 'doubtful', by: obstacle };
  if (isUnderWay(obstacle)) return { state: 'Starting', mood: 'doubtful', by: obstacle };
  return { state: 'NotReady', mood: 'bad', by: obstacle };
}

function claimLine(claim: HostClaim, now: number): Line {
  const aside = claim.spec.quarantine ?? claim.status?.quarantine;
  return {
    object: claim,
    mood: aside ? 'doubtful' : 'quiet',
    cells: {
      NAME: claim.metadata.name,
      STATE: aside ? 'Aside' : 'Free',
      SINCE: age(aside?.since ?? claim.metadata.creationTimestamp, now),
      ZONE: claim.spec.zone,
      HOST: claim.metadata.name,
      WHY: claim.spec.quarantine?.reason ?? claim.status?.quarantine?.reasons.join(', ') ?? '',
    },
  };
}

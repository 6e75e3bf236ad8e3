import type { HostClaim } from '@minifleet/api';
import * as names from '@minifleet/api/names';
import { type Condition, deleting, findCondition, type Node } from '@minifleet/kube/client';
import { isUnderWay, obstacleOf, unmetOf } from '../../cluster/host-troubles.ts';
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
  const { state, mood, by, why } = stateOf(samm);
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
      WHY: wordsOf(why),
    },
  };
}

/** A message says it all; a reason alone is better than nothing. */
const wordsOf = (condition: Condition | undefined): string => condition?.message || condition?.reason || '';

interface Shown {
  readonly state: string;
  readonly mood: keyof Paint;
  /** The condition that tells since when. */
  readonly by: Condition | undefined;
  /** The one that says what is wrong. */
  readonly why: Condition | undefined;
}

function stateOf(samm: Samm): Shown {
  const [ready, paused] = ['Ready', 'Paused'].map(type => findCondition(samm, type));
  if (deleting(samm)) return shown('Deleting', 'quiet', findCondition(samm, 'Deleting'));
  if (paused?.status === 'True') return shown('Paused', 'quiet', paused);
  if (ready?.status === 'True') return serving(samm, ready);
  const obstacle = obstacleOf(samm);
  if (!obstacle) return shown('New', 'doubtful', undefined);
  if (hostOf(samm) === undefined) return shown('NoHost', 'doubtful', obstacle);
  return isUnderWay(obstacle) ? shown('Starting', 'doubtful', obstacle) : shown('NotReady', 'bad', obstacle);
}

const shown = (state: string, mood: keyof Paint, by: Condition | undefined): Shown => ({ state, mood, by, why: by });

/** What is not as wanted on a host that serves is told beside it, or nobody looks before it serves no more. */
function serving(samm: Samm, by: Condition): Shown {
  const [why] = unmetOf(samm);
  return { state: 'Ready', mood: why ? 'doubtful' : 'good', by, why };
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

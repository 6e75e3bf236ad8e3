import * as names from '@minifleet/api/names';
import type { Condition } from '@minifleet/kube/client';
import { ownerOf, type Samm } from './machines.ts';

/** In the order of the phases: the first that does not hold is what the others wait for. A test holds it to the kind's own. */
export const PHASES = [
  'ClusterReady',
  'HostClaimed',
  'OSImageCurrent',
  'CredentialsReady',
  'JoinMaterialReady',
  'HostBootstrapped',
  'BuilderRunnerOnline',
  'NodeReady',
  'ServingCertificateReady',
];

/** The condition that keeps a machine from being Ready; undefined when it is, or when nobody has looked yet. */
export function obstacleOf({ status }: Samm): Condition | undefined {
  const conditions = status?.conditions ?? [];
  const of = (type: string): Condition | undefined => conditions.find(condition => condition.type === type);
  if (of('Ready')?.status === 'True') return undefined;
  return PHASES.map(of).find(condition => condition?.status === 'False') ?? of('Ready');
}

/** On its way: nobody needs to do anything unless it takes too long. */
export const isUnderWay = ({ reason }: Condition): boolean => UNDER_WAY.includes(reason);

const UNDER_WAY: readonly string[] = [
  'WaitingForOwner',
  'WaitingForCluster',
  'WaitingForClusterInfrastructure',
  'ReservationPending',
  'BootstrapRunning',
  'RestartingHost',
  'ReinstallingHost',
  'WaitingForNode',
  'WaitingForRequest',
];

/** The values that advice about a machine may name. */
export const aboutMachine = (samm: Samm): Readonly<Record<string, string | undefined>> => ({
  name: samm.metadata.name,
  namespace: samm.metadata.namespace,
  machine: ownerOf(samm)?.name,
  fleet: samm.metadata.labels?.[names.clusterApi.deploymentNameLabel] ?? samm.spec.fleetName,
  address: samm.status?.addresses?.[0]?.address,
});

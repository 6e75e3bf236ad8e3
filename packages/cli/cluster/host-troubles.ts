import * as names from '@minifleet/api/names';
import { type Condition, findCondition } from '@minifleet/kube/client';
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

/** An image that is no longer offered keeps nobody from serving, and may stay so for months. */
const ADVICE = 'OSImageCurrent';

/** What is not as wanted, in the order of the phases. Also of a machine that is Ready: what drifted is repaired while it serves. */
export function unmetOf(samm: Samm): Condition[] {
  const ready = findCondition(samm, 'Ready')?.status === 'True';
  return PHASES.filter(type => !(ready && type === ADVICE)).flatMap(type => {
    const condition = findCondition(samm, type);
    return condition?.status === 'False' ? [condition] : [];
  });
}

/** The condition that keeps a machine from being Ready; undefined when it is, or when nobody has looked yet. */
export function obstacleOf(samm: Samm): Condition | undefined {
  const ready = findCondition(samm, 'Ready');
  return ready?.status === 'True' ? undefined : (unmetOf(samm)[0] ?? ready);
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

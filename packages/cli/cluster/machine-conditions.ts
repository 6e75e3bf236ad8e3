import * as names from '@minifleet/api/names';
import { type Condition, findCondition } from '@minifleet/kube/client';
import { ownerOf, type ScalewayAppleSiliconMachine } from './machines.ts';

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
export function unmetConditions(machine: ScalewayAppleSiliconMachine): Condition[] {
  const ready = findCondition(machine, 'Ready')?.status === 'True';
  return PHASES.filter(type => !(ready && type === ADVICE)).flatMap(type => {
    const condition = findCondition(machine, type);
    return condition?.status === 'False' ? [condition] : [];
  });
}

/** The condition that keeps a machine from being Ready; undefined when it is, or when nobody has looked yet. */
export function blockingCondition(machine: ScalewayAppleSiliconMachine): Condition | undefined {
  const ready = findCondition(machine, 'Ready');
  return ready?.status === 'True' ? undefined : (unmetConditions(machine)[0] ?? ready);
}

/** On its way: nobody needs to do anything unless it takes too long. */
export const isInProgress = ({ reason }: Condition): boolean => UNDER_WAY.includes(reason);

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
export const adviceValues = (machine: ScalewayAppleSiliconMachine): Readonly<Record<string, string | undefined>> => ({
  name: machine.metadata.name,
  namespace: machine.metadata.namespace,
  machine: ownerOf(machine)?.name,
  fleet: machine.metadata.labels?.[names.clusterApi.deploymentNameLabel] ?? machine.spec.fleetName,
  address: machine.status?.addresses?.[0]?.address,
});

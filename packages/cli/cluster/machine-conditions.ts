import * as names from '@minifleet/api/names';
import { type Condition, findCondition } from '@minifleet/kube/client';
import { type InfraMachine, ownerOf } from './machines.ts';
import { macMachines } from './resources.ts';

/** Phase conditions in order. The first false one blocks the following ones. A test compares the list with the CRD's. */
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

/** Ignored on a Ready machine: an image that is no longer offered does not affect service and may stay installed for months. */
const INFORMATIONAL = 'OSImageCurrent';

/** Lists false conditions in phase order. A Ready machine can have some, because drift is repaired while the host serves. */
export function unmetConditions(machine: InfraMachine): Condition[] {
  const ready = findCondition(machine, 'Ready')?.status === 'True';
  return PHASES.filter(type => !(ready && type === INFORMATIONAL)).flatMap(type => {
    const condition = findCondition(machine, type);
    return condition?.status === 'False' ? [condition] : [];
  });
}

/** Returns the condition that keeps a machine from being Ready; undefined if the machine is Ready or not reconciled yet. */
export function blockingCondition(machine: InfraMachine): Condition | undefined {
  const ready = findCondition(machine, 'Ready');
  return ready?.status === 'True' ? undefined : (unmetConditions(machine)[0] ?? ready);
}

/** True for a reason that resolves without action, unless it lasts too long. */
export const isInProgress = ({ reason }: Condition): boolean => IN_PROGRESS.includes(reason);

const IN_PROGRESS: readonly string[] = [
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

/** Placeholder values for advice about a machine. */
export const adviceValues = (machine: InfraMachine): Readonly<Record<string, string | undefined>> => ({
  name: machine.metadata.name,
  kind: machine.kind === macMachines.kind ? 'macm' : 'samm',
  namespace: machine.metadata.namespace,
  machine: ownerOf(machine)?.name,
  fleet: machine.metadata.labels?.[names.clusterApi.deploymentNameLabel] ?? machine.spec.fleetName,
  address: machine.status?.addresses?.[0]?.address,
});

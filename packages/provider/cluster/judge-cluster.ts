import { type ApiEndpoint, clusterConditions, type InfraCluster } from '@minifleet/api';
import type { ConditionNote } from '@minifleet/kube';
import { isCompleteEndpoint } from '../cluster-api/complete-endpoint.ts';
import { notesFor } from '../cluster-api/condition-note.ts';
import type { Cluster } from '../cluster-api/kinds.ts';

const note = notesFor(clusterConditions);

interface ClusterView {
  readonly infra: InfraCluster;
  readonly cluster: Cluster | undefined;
}

/** Decides if machines can be created: Cluster API only needs an API server address. */
export function judgeCluster({ infra, cluster }: ClusterView): readonly ConditionNote[] {
  const endpoint = endpointOf({ infra, cluster });
  const idle = [note('Paused', 'False', 'NotPaused'), note('Deleting', 'False', 'NotDeleting')];
  if (!cluster) {
    const words = 'waiting for Cluster API to set a Cluster as the owner of this object';
    return [...idle, note('EndpointReady', 'False', 'WaitingForEndpoint', words), notReady(words)];
  }
  if (!endpoint) {
    const words = `Cluster ${cluster.metadata.name} has no controlPlaneEndpoint; set it on its ExternalControlPlane to an address that the Macs can reach`;
    return [...idle, note('EndpointReady', 'False', 'WaitingForEndpoint', words), notReady(words)];
  }
  const { host, port } = endpoint;
  return [...idle, note('EndpointReady', 'True', 'EndpointKnown', `${host}:${port}`), note('Ready', 'True', 'Ready')];
}

export const isReadyIn = (notes: readonly ConditionNote[]): boolean =>
  notes.some(({ type, status }) => type === 'Ready' && status === 'True');

export const pausedNotes = (words: string): readonly ConditionNote[] => [note('Paused', 'True', 'Paused', words)];

/** `machines`: names of the remaining machines. */
export function deletingNotes(machines: readonly string[]): readonly ConditionNote[] {
  if (machines.length === 0) {
    return [note('Deleting', 'True', 'DeletionCompleted'), notReady('the cluster is deleted')];
  }
  const more = machines.length > SHOWN ? ` and ${machines.length - SHOWN} more` : '';
  const words = `waiting for the deletion of machines: ${machines.slice(0, SHOWN).join(', ')}${more}`;
  return [note('Deleting', 'True', 'WaitingForMachines', words), notReady(words)];
}

const SHOWN = 5;

/** Prefers its own endpoint: Cluster API uses it if the control plane has none. */
function endpointOf({ infra, cluster }: ClusterView): Required<ApiEndpoint> | undefined {
  return [infra.spec.controlPlaneEndpoint, cluster?.spec?.controlPlaneEndpoint].find(isCompleteEndpoint);
}

const notReady = (message: string): ConditionNote => note('Ready', 'False', 'NotReady', message);

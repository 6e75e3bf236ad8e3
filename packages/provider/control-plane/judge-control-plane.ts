import {
  type ApiEndpoint,
  controlPlaneConditions,
  type ExternalControlPlane,
  scalewayAppleSiliconCluster,
} from '@minifleet/api';
import type { Client, ConditionNote } from '@minifleet/kube';
import { type Cluster, isCompleteEndpoint } from '../cluster-api/kinds.ts';
import { referredBy } from '../cluster-api/owner-and-pause.ts';
import { notesFor } from '../cluster-api/write-notes.ts';
import type { KubeconfigProbe } from './probe-kubeconfig.ts';

const note = notesFor(controlPlaneConditions);

/** State of `<cluster>-kubeconfig`. `answer`: result of a probe with it, or of the own client if it could not be minted. */
export type KubeconfigState =
  | { readonly kind: 'there'; readonly answer: KubeconfigProbe; readonly expiresAt?: number }
  | { readonly kind: 'missing'; readonly secret: string }
  | { readonly kind: 'not minted'; readonly why: string; readonly answer: KubeconfigProbe };

/** Returns the conditions of a control plane that was probed. */
export function judgeControlPlane(state: KubeconfigState): readonly ConditionNote[] {
  const kubeconfig = kubeconfigNote(state);
  const available = availableNote(state);
  const missing = [available, kubeconfig].find(({ status }) => status !== 'True');
  return [...IDLE, kubeconfig, available, missing ? notReady(`${missing.type}: ${missing.message}`) : READY];
}

const IDLE = [note('Paused', 'False', 'NotPaused'), note('Deleting', 'False', 'NotDeleting')];
const READY = note('Ready', 'True', 'Ready');
const notReady = (message: string): ConditionNote => note('Ready', 'False', 'NotReady', message);

/** A rejection is also a response. */
export const isAnswered = (state: KubeconfigState): boolean =>
  state.kind !== 'missing' && (state.answer.kind === 'answered' || state.answer.kind === 'rejected');

function kubeconfigNote(state: KubeconfigState): ConditionNote {
  if (state.kind === 'missing') {
    const words = `the Secret ${state.secret} does not exist; create it, or set kubeconfigSource to Minted`;
    return note('KubeconfigReady', 'False', 'KubeconfigMissing', words);
  }
  if (state.kind === 'not minted') return note('KubeconfigReady', 'False', 'MintingFailed', state.why);
  const { answer } = state;
  switch (answer.kind) {
    case 'answered':
      return note('KubeconfigReady', 'True', 'KubeconfigReady');
    case 'rejected': {
      const rights = answer.known ? '; its user needs the permissions in config/rbac/capi-remote.yaml' : '';
      return note('KubeconfigReady', 'False', 'KubeconfigRejected', `${answer.why}${rights}`);
    }
    case 'unusable':
      return note('KubeconfigReady', 'False', 'KubeconfigRejected', answer.why);
    case 'unreachable':
      return note('KubeconfigReady', 'Unknown', 'NotChecked', answer.why);
  }
}

function availableNote(state: KubeconfigState): ConditionNote {
  if (isAnswered(state)) return note('Available', 'True', 'Available');
  if (state.kind === 'missing' || state.answer.kind === 'unusable') {
    return note('Available', 'Unknown', 'NotReachable', 'not checked, because there is no kubeconfig');
  }
  const why = state.answer.kind === 'unreachable' ? state.answer.why : '';
  return note('Available', 'False', 'NotReachable', why);
}

export function waitingForCluster(): readonly ConditionNote[] {
  const words = 'waiting for Cluster API to set a Cluster as the owner of this object';
  return [...IDLE, note('Available', 'False', 'WaitingForCluster', words), notReady(`Available: ${words}`)];
}

export const pausedNotes = (words: string): readonly ConditionNote[] => [note('Paused', 'True', 'Paused', words)];

export const revoking = (why: string): readonly ConditionNote[] => [
  note('Deleting', 'True', 'RevokingKubeconfig', why),
  notReady(`Deleting: ${why}`),
];

export const revoked = (): readonly ConditionNote[] => [
  note('Deleting', 'True', 'DeletionCompleted'),
  notReady('the object is deleted; the control plane keeps running'),
];

const { resource } = scalewayAppleSiliconCluster;

interface EndpointSources {
  readonly owner: ExternalControlPlane;
  readonly cluster: Cluster;
  /** URL to use if no object has an endpoint. */
  readonly server: string | undefined;
}

/**
 * Returns the endpoint that Cluster API copies to the Cluster once, and that hosts use to join. An endpoint in any of the three objects
 * has priority over the address of the provider: Cluster API copies this one before it reads the infrastructure.
 */
export async function chooseEndpoint(
  client: Client,
  { owner, cluster, server }: EndpointSources,
): Promise<ApiEndpoint | undefined> {
  const said = [owner.spec.controlPlaneEndpoint, cluster.spec?.controlPlaneEndpoint].find(isCompleteEndpoint);
  if (said) return said;
  const [key] = referredBy(resource, cluster);
  const infra = key && (await client.find(resource, key));
  const { controlPlaneEndpoint } = infra?.spec ?? {};
  if (isCompleteEndpoint(controlPlaneEndpoint)) return controlPlaneEndpoint;
  return server === undefined ? undefined : endpointIn(server);
}

/** Endpoint in the format of Cluster API: host and port, IPv6 without brackets. */
export function endpointIn(url: string): Required<ApiEndpoint> {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) };
}

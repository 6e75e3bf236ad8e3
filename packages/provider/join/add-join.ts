import { type InfraMachine, macHost, machineKinds } from '@minifleet/api';
import {
  type CertificateSigningRequest,
  type Client,
  certificateSigningRequests,
  type KubeObject,
  type KubeSecret,
  keyOf,
  keyString,
  mapped,
  nodes,
  type ObjectKey,
  type Runtime,
  type Selection,
  secrets,
} from '@minifleet/kube';
import { addIndexes } from '../cluster-api/machine-indexes.ts';
import { TOKENS, tokenIndexes } from './bootstrap-token.ts';
import {
  type ApproverDeps,
  CLIENT_REQUESTS,
  isAnswered,
  type RequestIndex,
  requestIndexes,
  SERVING_REQUESTS,
} from './certificate-request.ts';
import { approveClient } from './client-approver.ts';
import { MACHINE_CLAIM_LOST } from './errors.ts';
import { createJoin, type Join, type JoinOptions } from './join.ts';
import { sweepToken } from './keep-token.ts';
import { approveServing } from './serving-approver.ts';

/** `machines` is the selection of the machine controller, whose index by name is used. */
export type AddJoinOptions = Omit<JoinOptions, 'requests' | 'tokens'> & ApproverDeps;

const BY_NODE: RequestIndex = 'request-node';

/** Adds the certificate approvers and the token sweeper; returns the join service for machines. */
export function addJoin(runtime: Runtime, options: AddJoinOptions): Join {
  const { machines } = options;
  addApprover('serving-approver', SERVING_REQUESTS, approveServing);
  addApprover('client-approver', CLIENT_REQUESTS, approveClient);
  const tokens = runtime.informer<KubeSecret>(secrets, TOKENS);
  addIndexes(tokens, tokenIndexes);
  const caches = machineKinds.map(({ resource }) => runtime.informer<InfraMachine>(resource, machines).cache);
  const cachedMachine = (key: ObjectKey): InfraMachine | undefined =>
    caches.map(cache => cache.get(key)).find(machine => machine !== undefined);
  runtime.add<KubeSecret>({
    name: 'token-sweeper',
    resource: secrets,
    selection: TOKENS,
    reconcile: (context, key) => sweepToken(context, key, { ...machines, cachedMachine }),
  });
  const requests = runtime.informer(certificateSigningRequests, SERVING_REQUESTS);
  return createJoin({ ...options, requests: requests.cache, tokens: tokens.cache });

  function addApprover(name: string, selection: Selection, approve: typeof approveServing): void {
    const requests = runtime.informer(certificateSigningRequests, selection);
    addIndexes(requests, requestIndexes);
    const waitingFor = ({ metadata }: KubeObject): ObjectKey[] =>
      requests.cache
        .by(BY_NODE, metadata.name)
        .filter(request => !isAnswered(request))
        .map(keyOf);
    runtime.add<CertificateSigningRequest>({
      name,
      resource: certificateSigningRequests,
      selection,
      watches: [
        ...machineKinds.map(({ resource }) => mapped(resource, waitingFor, machines)),
        mapped(nodes, waitingFor, {}),
      ],
      reconcile: (context, key) => approve(context, key, options),
    });
  }
}

/**
 * Throws MACHINE_CLAIM_LOST unless the MacHost, read from the API server, is held by the machine in the epoch of its claimRef. A certificate
 * for a machine that lost its host would let the host act as the Node of another one.
 */
export async function fenceMachine(client: Client, machine: InfraMachine, clusterId: string): Promise<void> {
  const { claimRef } = machine.spec;
  const host = claimRef?.name === undefined ? undefined : await client.find(macHost.resource, { name: claimRef.name });
  const { consumerRef, claimEpoch, clusterID } = host?.spec ?? {};
  const held = consumerRef?.uid === machine.metadata.uid && clusterID === clusterId && claimEpoch === claimRef?.epoch;
  if (held) return;
  const holder = consumerRef ? `${consumerRef.namespace}/${consumerRef.name} in epoch ${claimEpoch}` : 'no machine';
  const why = host ? `${holder} holds the MacHost ${host.metadata.name}` : 'its MacHost does not exist';
  throw MACHINE_CLAIM_LOST({ machine: keyString(keyOf(machine)), why });
}

import { machineKinds } from '@minifleet/api';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  type KubeObject,
  type KubeSecret,
  keyOf,
  mapped,
  nodes,
  type ObjectKey,
  type Runtime,
  type Selection,
  secrets,
} from '@minifleet/kube';
import { addIndexes } from '../cluster-api/machine-indexes.ts';
import type { ApproverDeps } from './answer-request.ts';
import { TOKENS } from './bootstrap-token.ts';
import { approveClient } from './client-approver.ts';
import { createJoin, type JoinOptions } from './create-join.ts';
import type { Join } from './join.ts';
import { type RequestIndex, requestIndexes } from './request-index.ts';
import { CLIENT_REQUESTS, isAnswered, SERVING_REQUESTS } from './requester.ts';
import { approveServing } from './serving-approver.ts';
import { sweepToken } from './token-sweeper.ts';

/** `machines` is the selection of the machine controller, whose index by name is used. */
export type AddJoinOptions = Omit<JoinOptions, 'requests'> & ApproverDeps;

const BY_NODE: RequestIndex = 'request-node';

/** Adds the certificate approvers and the token sweeper; returns the join service for machines. */
export function addJoin(runtime: Runtime, options: AddJoinOptions): Join {
  const { machines } = options;
  addApprover('serving-approver', SERVING_REQUESTS, approveServing);
  addApprover('client-approver', CLIENT_REQUESTS, approveClient);
  runtime.add<KubeSecret>({
    name: 'token-sweeper',
    resource: secrets,
    selection: TOKENS,
    reconcile: (context, key) => sweepToken(context, key, machines),
  });
  return createJoin({ ...options, requests: runtime.informer(certificateSigningRequests, SERVING_REQUESTS).cache });

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

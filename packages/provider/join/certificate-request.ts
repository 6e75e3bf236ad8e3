import { type InfraMachine, machineReasons } from '@minifleet/api';
import { CataloguedError } from '@minifleet/errors';
import {
  type CertificateSigningRequest,
  type Context,
  certificateSigningRequests,
  type IndexBy,
  type Selection,
} from '@minifleet/kube';
import { type CertificateNames, readCertificateRequest } from '@minifleet/x509';
import { MACHINE_CLAIM_LOST } from './errors.ts';

/** `wait`: the request may become valid, and a watch triggers the next check. A decision is final. */
export type RequestDecision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly why: string }
  | { readonly kind: 'wait'; readonly why: string };

export const approve: RequestDecision = { kind: 'approve' };
export const deny = (why: string): RequestDecision => ({ kind: 'deny', why });
export const wait = (why: string): RequestDecision => ({ kind: 'wait', why });

export type RequestSpec = CertificateSigningRequest['spec'];

/** Key usage of a kubelet certificate in addition to `digital signature`; RSA keys also need `key encipherment`. */
type Purpose = 'client auth' | 'server auth';
const SIGN = 'digital signature';
const ENCIPHER = 'key encipherment';

/** Returns the names in a certificate request for this Node, or what is wrong with the request. */
export function requestedNames(
  spec: RequestSpec,
  node: string,
  purpose: Purpose,
): CertificateNames | { readonly wrong: string } {
  const usages: readonly string[] = spec.usages ?? [];
  const usual: readonly string[] = [SIGN, ENCIPHER, purpose];
  const odd = usages.filter(usage => !usual.includes(usage));
  if (odd.length > 0) return { wrong: `it requests the key usage ${odd.join(', ')}` };
  const missing = [SIGN, purpose].filter(usage => !usages.includes(usage));
  if (missing.length > 0) return { wrong: `it does not request the key usage ${missing.join(', ')}` };
  const names = readCertificateRequest(spec.request);
  if ('unreadable' in names) return { wrong: `it cannot be parsed: ${names.unreadable}` };
  const { commonName, organizations } = names;
  if (commonName !== `system:node:${node}`)
    return { wrong: `its subject is ${commonName} instead of that of Node ${node}` };
  if (organizations.length !== 1 || organizations[0] !== NODES_GROUP) {
    return { wrong: `its organization is ${organizations.join(', ') || 'missing'} instead of ${NODES_GROUP} alone` };
  }
  return names;
}

/** Throws MACHINE_CLAIM_LOST unless the machine still holds its host; bypasses the cache. */
type Fence = (machine: InfraMachine) => Promise<void>;

export interface ApproverDeps {
  readonly fence: Fence;
  /** Machines of this provider. */
  readonly machines: Selection;
}

/** Checks the claim again right before an approval. */
export async function fenced(verdict: RequestDecision, machine: InfraMachine, fence: Fence): Promise<RequestDecision> {
  if (verdict.kind !== 'approve') return verdict;
  try {
    await fence(machine);
    return verdict;
  } catch (error) {
    if (error instanceof CataloguedError && error.code === MACHINE_CLAIM_LOST.code) return deny(error.message);
    throw error;
  }
}

interface RequestAnswer {
  readonly verdict: Exclude<RequestDecision, { readonly kind: 'wait' }>;
  /** Machine that the event is recorded for. */
  readonly machine: InfraMachine | undefined;
  /** `serving`, `client`. */
  readonly which: string;
}

/** Writes the decision on the version of the request that was judged; a concurrent answer causes a conflict and another reconcile. */
export async function answerRequest(
  { client, events, log }: Pick<Context, 'client' | 'events' | 'log'>,
  request: CertificateSigningRequest,
  { verdict, machine, which }: RequestAnswer,
): Promise<void> {
  const denied = verdict.kind === 'deny';
  const message = denied ? verdict.why : 'the names match the machine and its host';
  const condition = { type: denied ? 'Denied' : 'Approved', status: 'True', reason: 'CheckedByMinifleet', message };
  const conditions = [...(request.status?.conditions ?? []), condition];
  await client.update(
    certificateSigningRequests,
    { ...request, status: { ...request.status, conditions } },
    { subresource: 'approval' },
  );
  const words = `the request ${request.metadata.name} for a ${which} certificate was ${denied ? `denied: ${message}` : 'approved'}`;
  log.info({ request: request.metadata.name, machine: machine?.metadata.name }, words);
  if (!machine) return;
  const happened = denied
    ? ({ type: 'Warning', reason: machineReasons.RequestDenied } as const)
    : ({ type: 'Normal', reason: 'RequestApproved' } as const);
  events.record({ regarding: machine, related: request, action: 'Approve', note: words, ...happened });
}

export const SIGNERS = {
  serving: 'kubernetes.io/kubelet-serving',
  client: 'kubernetes.io/kube-apiserver-client-kubelet',
} as const;

export const SERVING_REQUESTS = { fieldSelector: `spec.signerName=${SIGNERS.serving}` } as const;
export const CLIENT_REQUESTS = { fieldSelector: `spec.signerName=${SIGNERS.client}` } as const;

export const NODES_GROUP = 'system:nodes';
const NODE_USER = 'system:node:';
const TOKEN_USER = 'system:bootstrap:';

/** Authenticated requester: a Node, or a host with a bootstrap token. Undefined for users and programs. */
type Requester = { readonly node: string } | { readonly tokenId: string };

export function requesterOf({ spec }: Pick<CertificateSigningRequest, 'spec'>): Requester | undefined {
  const { username = '' } = spec;
  const node = nodeNamed(username);
  if (node !== undefined) return { node };
  return username.startsWith(TOKEN_USER) ? { tokenId: username.slice(TOKEN_USER.length) } : undefined;
}

/** Node name in a user name or a common name. */
export const nodeNamed = (user: string): string | undefined =>
  user.startsWith(NODE_USER) && user.length > NODE_USER.length ? user.slice(NODE_USER.length) : undefined;

/** True after any approval or denial, because a decision is final. */
export const isAnswered = ({ status }: CertificateSigningRequest): boolean =>
  status?.conditions?.some(({ type }) => type === 'Approved' || type === 'Denied') ?? false;

/** Index of certificate requests by Node. */
export const requestIndexes = {
  'request-node': request => {
    const node = nodeAskedFor(request);
    return node === undefined ? [] : [node];
  },
} satisfies Record<string, IndexBy<CertificateSigningRequest>>;

export type RequestIndex = keyof typeof requestIndexes;

/** A Node requests its own certificate; with a token, the request contains the Node name. */
function nodeAskedFor(request: CertificateSigningRequest): string | undefined {
  const requester = requesterOf(request);
  if (!requester || 'node' in requester) return requester?.node;
  const names = readCertificateRequest(request.spec.request);
  return 'unreadable' in names ? undefined : nodeNamed(names.commonName);
}

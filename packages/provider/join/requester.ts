import type { CertificateSigningRequest } from '@minifleet/kube';

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

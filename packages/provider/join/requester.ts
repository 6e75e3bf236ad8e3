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

/** Who asks, as the API server saw it: a Node, or whoever holds a bootstrap token. Undefined for people and programs. */
export type Requester = { readonly node: string } | { readonly tokenId: string };

export function requesterOf({ spec }: Pick<CertificateSigningRequest, 'spec'>): Requester | undefined {
  const { username = '' } = spec;
  const node = nodeNamed(username);
  if (node !== undefined) return { node };
  return username.startsWith(TOKEN_USER) ? { tokenId: username.slice(TOKEN_USER.length) } : undefined;
}

/** The Node that a user or a certificate is called after. */
export const nodeNamed = (user: string): string | undefined =>
  user.startsWith(NODE_USER) && user.length > NODE_USER.length ? user.slice(NODE_USER.length) : undefined;

/** Answered is answered, by whomever: an answer is never taken back. */
export const isAnswered = ({ status }: CertificateSigningRequest): boolean =>
  status?.conditions?.some(({ type }) => type === 'Approved' || type === 'Denied') ?? false;

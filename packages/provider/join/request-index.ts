import type { CertificateSigningRequest, IndexBy } from '@minifleet/kube';
import { readCertificateRequest } from '@minifleet/x509';
import { nodeNamed, requesterOf } from './requester.ts';

/** How requests are found by the Node they are for. */
export const requestIndexes = {
  'request-node': request => {
    const node = nodeAskedFor(request);
    return node === undefined ? [] : [node];
  },
} satisfies Record<string, IndexBy<CertificateSigningRequest>>;

export type RequestIndex = keyof typeof requestIndexes;

/** A Node asks for itself; who holds a token says in the request whom it wants to be. */
function nodeAskedFor(request: CertificateSigningRequest): string | undefined {
  const requester = requesterOf(request);
  if (!requester || 'node' in requester) return requester?.node;
  const names = readCertificateRequest(request.spec.request);
  return 'unreadable' in names ? undefined : nodeNamed(names.commonName);
}

import type { CertificateSigningRequest, IndexBy } from '@minifleet/kube';
import { readCertificateRequest } from '@minifleet/x509';
import { nodeNamed, requesterOf } from './requester.ts';

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

import type { CertificateSigningRequest, NewObject } from '@minifleet/kube';
import {
  type CertificateTerms,
  certificateRequest,
  clientTerms,
  newPrivateKey,
  servingTerms,
} from '@minifleet/tart-kubelet/testing/identity';

/** Certificate request of the Minifleet agent with overrides. */
function requestSpec(terms: CertificateTerms): CertificateSigningRequest['spec'] {
  return {
    request: Buffer.from(certificateRequest(terms, newPrivateKey())).toString('base64'),
    signerName: terms.signer,
    usages: [...terms.usages],
  };
}

/** A request of a Node for its serving certificate, as the API server keeps it. */
export function servingSpec(
  node: string,
  hosts: readonly string[],
  said: Partial<CertificateTerms> = {},
): CertificateSigningRequest['spec'] {
  const terms = servingTerms(node, hosts.length === 0 ? ['x'] : hosts);
  if (!terms) throw new Error('a serving request names something');
  const empty = hosts.length === 0 ? { dnsNames: [] } : {};
  return {
    ...requestSpec({ ...terms, ...empty, ...said }),
    username: `system:node:${node}`,
    groups: ['system:nodes', 'system:authenticated'],
  };
}

/** A request for a Node's client certificate, asked with a token. */
export const clientSpec = (
  node: string,
  tokenId: string,
  said: Partial<CertificateTerms> = {},
): CertificateSigningRequest['spec'] => ({
  ...requestSpec({ ...clientTerms(node), ...said }),
  username: `system:bootstrap:${tokenId}`,
  groups: ['system:bootstrappers', 'system:bootstrappers:minifleet', 'system:authenticated'],
});

/** An object of the cache, without a server. */
export const requestOf = (
  spec: CertificateSigningRequest['spec'],
  said: Partial<Omit<CertificateSigningRequest, 'spec'>> = {},
): CertificateSigningRequest => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'node-csr-1' },
  spec,
  ...said,
});

export const newRequest = (
  name: string,
  spec: CertificateSigningRequest['spec'],
): NewObject<CertificateSigningRequest> => ({ metadata: { name }, spec });

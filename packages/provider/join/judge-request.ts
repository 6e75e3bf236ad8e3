import type { CertificateSigningRequest } from '@minifleet/kube';
import { type CertificateNames, readCertificateRequest } from '@minifleet/x509';
import { NODES_GROUP } from './requester.ts';

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

import type { CertificateSigningRequest } from '@minifleet/kube';

/** Where a certificate request stands. Approved without a certificate is still waiting: the signer comes next. */
export type RequestState =
  | { readonly state: 'waiting'; readonly for: 'approval' | 'signature' }
  | { readonly state: 'issued'; readonly certificate: string }
  | { readonly state: 'denied'; readonly why: string }
  | { readonly state: 'failed'; readonly why: string };

export function requestState({ status }: CertificateSigningRequest): RequestState {
  const condition = (type: string) => status?.conditions?.find(one => one.type === type && one.status !== 'False');
  const denied = condition('Denied');
  if (denied) return { state: 'denied', why: denied.message || denied.reason || 'no reason given' };
  const failed = condition('Failed');
  if (failed) return { state: 'failed', why: failed.message || failed.reason || 'no reason given' };
  if (status?.certificate)
    return { state: 'issued', certificate: Buffer.from(status.certificate, 'base64').toString('utf8') };
  return { state: 'waiting', for: condition('Approved') ? 'signature' : 'approval' };
}

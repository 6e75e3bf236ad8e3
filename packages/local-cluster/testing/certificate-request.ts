/** A certificate signing request with a new key, as a joining host creates it. */
import { generateKeyPairSync } from 'node:crypto';
import { writeCertificateRequest } from '@minifleet/x509';

export function certificateRequest(
  commonName: string,
  organization: string,
  addresses: readonly string[] = [],
): string {
  return requestWithKey(commonName, organization, addresses).request;
}

/** Also returns the key, for tests that serve with the issued certificate. */
export function requestWithKey(commonName: string, organization: string, addresses: readonly string[]) {
  const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  const names = { commonName, organizations: [organization], dnsNames: [], addresses };
  return { request: writeCertificateRequest(names, privateKey), privateKey };
}

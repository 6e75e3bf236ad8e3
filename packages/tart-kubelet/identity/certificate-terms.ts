import { createHash, createPublicKey, type X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { writeCertificateRequest } from '@minifleet/x509';

/** Required content of a certificate: plain data, from which the request and its name are derived. */
export interface CertificateTerms {
  readonly signer: string;
  readonly commonName: string;
  readonly organization: string;
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  /** Exactly these: the signers reject any other set (key encipherment is for RSA only). */
  readonly usages: readonly ('digital signature' | 'client auth' | 'server auth')[];
}

const subject = (nodeName: string) => ({ commonName: `system:node:${nodeName}`, organization: 'system:nodes' });

export const clientTerms = (nodeName: string): CertificateTerms => ({
  ...subject(nodeName),
  signer: 'kubernetes.io/kube-apiserver-client-kubelet',
  dnsNames: [],
  addresses: [],
  usages: ['digital signature', 'client auth'],
});

/** Uses the names and addresses of the Node, which an approver compares. Undefined while there are none. */
export function servingTerms(nodeName: string, hosts: readonly string[]): CertificateTerms | undefined {
  if (hosts.length === 0) return undefined;
  return {
    ...subject(nodeName),
    signer: 'kubernetes.io/kubelet-serving',
    dnsNames: hosts.filter(host => isIP(host) === 0).sort(),
    addresses: hosts.filter(host => isIP(host) !== 0).sort(),
    usages: ['digital signature', 'server auth'],
  };
}

/** Returns the certificate signing request in PEM. */
export const certificateRequest = (terms: CertificateTerms, privateKey: string): string =>
  writeCertificateRequest({ ...terms, organizations: [terms.organization] }, privateKey);

/** Checks whether a certificate has the required content. */
export const covers = (certificate: X509Certificate, terms: CertificateTerms): boolean =>
  certificate.subject.split('\n').includes(`CN=${terms.commonName}`) &&
  terms.dnsNames.every(name => certificate.checkHost(name) !== undefined) &&
  terms.addresses.every(address => certificate.checkIP(address) !== undefined);

/** Equal key and terms yield the same request: after a restart it is found by its name. */
export function requestName(terms: CertificateTerms, privateKey: string): string {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const digest = createHash('sha256').update(publicKey).update(JSON.stringify(terms)).digest('hex');
  return `node-csr-${digest.slice(0, 40)}`;
}

/** In-memory certificate authority: ECDSA P-256, valid for one year, longer than any local cluster lives. */
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { signCertificate } from '@minifleet/x509';

export type KeyPair = {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly privateKey: string;
};

export type CertificateRequest = {
  /** Kubernetes takes the user name from it. */
  commonName: string;
  /** Kubernetes takes the groups from them. */
  organizations?: readonly string[];
  usages: readonly ('client' | 'server')[];
  dnsNames?: readonly string[];
  addresses?: readonly string[];
};

export type CertificateAuthority = KeyPair & { issue(request: CertificateRequest): KeyPair };

const HOUR = 60 * 60 * 1000;

export function createCertificateAuthority(commonName: string): CertificateAuthority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = { commonName, organizations: [] };
  const certificate = signCertificate(
    {
      ...newFields(keys.publicKey),
      ...issuer,
      issuer,
      isAuthority: true,
      usages: [],
      dnsNames: [],
      addresses: [],
    },
    keys.privateKey,
  );
  return {
    certificate,
    privateKey: privatePem(keys.privateKey),
    issue(request) {
      const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const fields = {
        ...newFields(leaf.publicKey),
        commonName: request.commonName,
        organizations: request.organizations ?? [],
        issuer,
        isAuthority: false,
        usages: request.usages,
        dnsNames: request.dnsNames ?? [],
        addresses: request.addresses ?? [],
      };
      return { certificate: signCertificate(fields, keys.privateKey), privateKey: privatePem(leaf.privateKey) };
    },
  };
}

/** Creates the key pair that signs service account tokens. It needs no certificate. */
export function createSigningKeyPair(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** Starts one hour in the past, so that a clock that steps back does not invalidate the certificate. */
function newFields(publicKey: KeyObject) {
  const now = Date.now();
  return {
    serial: randomBytes(16),
    notBefore: new Date(now - HOUR),
    notAfter: new Date(now + 365 * 24 * HOUR),
    publicKey,
  };
}

function privatePem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A certificate authority made in memory: ECDSA P-256, good for a year, which no local cluster outlives. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { type CertificateFields, extendedKeyUsage, signCertificate } from './certificate.ts';

export type KeyPair = {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly privateKey: string;
};

export type CertificateRequest = {
  /** Kubernetes reads the user from it. */
  commonName: string;
  /** Kubernetes reads the groups from them. */
  organizations?: readonly string[];
  usages: readonly ('client' | 'server')[];
  dnsNames?: readonly string[];
  addresses?: readonly string[];
};

export type CertificateAuthority = KeyPair & { issue(request: CertificateRequest): KeyPair };

const HOUR = 60 * 60 * 1000;

export function createCertificateAuthority(commonName: string): CertificateAuthority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { commonName, organizations: [] };
  const authorityKeyId = keyId(keys.publicKey);
  const certificate = signCertificate(
    { ...freshFields(keys.publicKey), subject, issuer: subject, authorityKeyId, isAuthority: true },
    keys.privateKey,
  );
  return {
    certificate,
    privateKey: privatePem(keys.privateKey),
    issue({ organizations = [], dnsNames = [], addresses = [], ...request }) {
      const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const fields: CertificateFields = {
        ...freshFields(leaf.publicKey),
        subject: { commonName: request.commonName, organizations },
        issuer: subject,
        authorityKeyId,
        isAuthority: false,
        extendedKeyUsages: request.usages.map(usage => extendedKeyUsage[usage]),
        dnsNames,
        addresses,
      };
      return { certificate: signCertificate(fields, keys.privateKey), privateKey: privatePem(leaf.privateKey) };
    },
  };
}

/** A key pair that signs service account tokens. It needs no certificate. */
export function createSigningKeyPair(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** Begins a little in the past: a clock that steps back must not make the cluster refuse itself. */
function freshFields(publicKey: KeyObject) {
  const now = Date.now();
  return {
    serial: randomBytes(16),
    notBefore: new Date(now - HOUR),
    notAfter: new Date(now + 365 * 24 * HOUR),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    subjectKeyId: keyId(publicKey),
  };
}

function keyId(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

function privatePem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

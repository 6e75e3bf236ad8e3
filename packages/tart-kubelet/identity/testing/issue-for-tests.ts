/** A self-signed certificate with the given terms, in place of one that a signer issues. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { signCertificate } from '@minifleet/x509';
import { type NodeCredential, newPrivateKey } from '../certificate-store.ts';
import type { CertificateTerms } from '../certificate-terms.ts';

interface Life {
  readonly from: number;
  readonly to: number;
}

const DAY = 24 * 60 * 60 * 1_000;
const NOW = Date.UTC(2030, 0, 1);

export function issueForTests(
  terms: CertificateTerms,
  life: Life = { from: NOW, to: NOW + 365 * DAY },
  key: string = newPrivateKey(),
): NodeCredential {
  const privateKey = createPrivateKey(key);
  const subject = { commonName: terms.commonName, organizations: [terms.organization] };
  const certificate = signCertificate(
    {
      ...subject,
      issuer: subject,
      dnsNames: terms.dnsNames,
      addresses: terms.addresses,
      serial: Buffer.from([1]),
      notBefore: new Date(life.from),
      notAfter: new Date(life.to),
      publicKey: createPublicKey(privateKey),
      isAuthority: false,
      usages: [],
    },
    privateKey,
  );
  return { key, certificate };
}

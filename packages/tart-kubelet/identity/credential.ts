import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';

/** A certificate with its key, both PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

/** ECDSA P-256: made in a millisecond, and the signers ask for no key encipherment with it. */
export const newPrivateKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export const certificateOf = ({ certificate }: Credential): X509Certificate => new X509Certificate(certificate);

/** Key and certificates in one text, as a kubelet keeps them: replacing the file swaps both at once. */
export const credentialText = ({ certificate, key }: Credential): string =>
  `${key.trimEnd()}\n${certificate.trimEnd()}\n`;

/** Reads such a text; undefined when it is damaged or the parts do not belong together. */
export function parseCredential(text: string): Credential | undefined {
  const key = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/.exec(text)?.[0];
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g);
  if (!key || !certificates) return undefined;
  const credential = { key, certificate: certificates.join('') };
  return fitsTogether(credential) ? credential : undefined;
}

export function fitsTogether(credential: Credential): boolean {
  try {
    return certificateOf(credential).checkPrivateKey(createPrivateKey(credential.key));
  } catch {
    return false;
  }
}

/** Writes and signs an X.509 v3 certificate (RFC 5280). */
import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import * as der from './der.ts';
import {
  alternativeNamesExtension,
  type CertificateNames,
  type DistinguishedName,
  encodeSubject,
  extension,
} from './names.ts';

export interface CertificateFields extends CertificateNames {
  readonly serial: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly issuer: DistinguishedName;
  readonly publicKey: KeyObject;
  readonly isAuthority: boolean;
  readonly usages: readonly CertificateUsage[];
}

type CertificateUsage = keyof typeof EXTENDED_KEY_USAGES;

const EXTENDED_KEY_USAGES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;
const ECDSA_WITH_SHA256 = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'));
const VERSION_3 = der.explicit(0, der.integer(Buffer.from([2])));

/** Returns the certificate in PEM. The issuer's key is an ECDSA private key. */
export function signCertificate(fields: CertificateFields, issuerKey: KeyObject): string {
  const content = der.sequence(
    VERSION_3,
    der.integer(fields.serial),
    ECDSA_WITH_SHA256,
    encodeSubject(fields.issuer),
    der.sequence(der.utcTime(fields.notBefore), der.utcTime(fields.notAfter)),
    encodeSubject(fields),
    publicKeyInfo(fields.publicKey),
    der.explicit(3, der.sequence(...extensionsOf(fields, createPublicKey(issuerKey)))),
  );
  return signedPem('CERTIFICATE', content, issuerKey);
}

/** Signs the content as every X.509 structure is signed, and returns content and signature in PEM. */
export function signedPem(label: string, content: der.Der, key: KeyObject): string {
  const signed = der.sequence(content, ECDSA_WITH_SHA256, der.bitString(sign('sha256', content, key)));
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

export const publicKeyInfo = (publicKey: KeyObject): Buffer => publicKey.export({ type: 'spki', format: 'der' });

function extensionsOf(fields: CertificateFields, issuerKey: KeyObject): der.Der[] {
  const { isAuthority, usages, publicKey } = fields;
  const alternativeNames = alternativeNamesExtension(fields);
  const list = [
    extension('2.5.29.19', der.sequence(...(isAuthority ? [der.boolean(true)] : [])), true),
    // Bit 0 allows digital signatures, bit 5 allows signing certificates.
    extension(
      '2.5.29.15',
      isAuthority ? der.bitString(Buffer.from([0x84]), 2) : der.bitString(Buffer.from([0x80]), 7),
      true,
    ),
    extension('2.5.29.14', der.octetString(keyIdentifier(publicKey))),
    extension('2.5.29.35', der.sequence(der.implicit(0, keyIdentifier(issuerKey)))),
  ];
  if (usages.length > 0) {
    const identifiers = usages.map(usage => der.objectIdentifier(EXTENDED_KEY_USAGES[usage]));
    list.push(extension('2.5.29.37', der.sequence(...identifiers)));
  }
  if (alternativeNames) list.push(alternativeNames);
  return list;
}

const keyIdentifier = (publicKey: KeyObject): Buffer => createHash('sha1').update(publicKeyInfo(publicKey)).digest();

/** Writes and signs one X.509 v3 certificate (RFC 5280). */
import { type KeyObject, sign } from 'node:crypto';
import { isIPv6 } from 'node:net';
import * as der from './der.ts';

export type DistinguishedName = { readonly commonName: string; readonly organizations: readonly string[] };

export type CertificateFields = {
  readonly serial: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  readonly subjectKeyId: Uint8Array;
  readonly authorityKeyId: Uint8Array;
  readonly isAuthority: boolean;
  readonly extendedKeyUsages?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
};

export const extendedKeyUsage = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

const ECDSA_WITH_SHA256 = der.sequence(der.identifier('1.2.840.10045.4.3.2'));
const ORGANIZATION = '2.5.4.10';
const COMMON_NAME = '2.5.4.3';

export function signCertificate(fields: CertificateFields, issuerKey: KeyObject): string {
  const content = der.sequence(
    der.explicit(0, der.integer(Buffer.from([2]))),
    der.integer(fields.serial),
    ECDSA_WITH_SHA256,
    name(fields.issuer),
    der.sequence(der.time(fields.notBefore), der.time(fields.notAfter)),
    name(fields.subject),
    Buffer.from(fields.publicKey),
    der.explicit(3, der.sequence(...extensions(fields))),
  );
  const signature = sign('sha256', content, issuerKey);
  const certificate = der.sequence(content, ECDSA_WITH_SHA256, der.bits(signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function name({ commonName, organizations }: DistinguishedName): der.Der {
  const attribute = (type: string, value: string) => der.set(der.sequence(der.identifier(type), der.utf8(value)));
  return der.sequence(
    ...organizations.map(organization => attribute(ORGANIZATION, organization)),
    attribute(COMMON_NAME, commonName),
  );
}

function extensions(fields: CertificateFields): der.Der[] {
  const { isAuthority, extendedKeyUsages = [], dnsNames = [], addresses = [] } = fields;
  const alternativeNames = [
    ...dnsNames.map(dnsName => der.implicit(2, Buffer.from(dnsName))),
    ...addresses.map(address => der.implicit(7, addressBytes(address))),
  ];
  const list = [
    extension('2.5.29.19', der.sequence(...(isAuthority ? [der.boolean(true)] : [])), true),
    // Bit 0 signs data; bit 5 signs certificates.
    extension('2.5.29.15', isAuthority ? der.bits(Buffer.from([0x84]), 2) : der.bits(Buffer.from([0x80]), 7), true),
    extension('2.5.29.14', der.octets(fields.subjectKeyId)),
    extension('2.5.29.35', der.sequence(der.implicit(0, fields.authorityKeyId))),
  ];
  if (extendedKeyUsages.length > 0) {
    list.push(extension('2.5.29.37', der.sequence(...extendedKeyUsages.map(der.identifier))));
  }
  if (alternativeNames.length > 0) list.push(extension('2.5.29.17', der.sequence(...alternativeNames)));
  return list;
}

function extension(id: string, value: der.Der, critical = false): der.Der {
  return der.sequence(der.identifier(id), ...(critical ? [der.boolean(true)] : []), der.octets(value));
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const all = [...left, ...(tail === undefined ? [] : zeros), ...right];
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex');
}

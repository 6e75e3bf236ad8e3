/** Writes and signs one certificate request (PKCS #10, RFC 2986). */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { CertificateTerms } from './certificate-terms.ts';
import * as der from './der.ts';

const ECDSA_WITH_SHA256 = der.sequence(der.identifier('1.2.840.10045.4.3.2'));
const ORGANIZATION = '2.5.4.10';
const COMMON_NAME = '2.5.4.3';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ALTERNATIVE_NAMES = '2.5.29.17';

/** The request in PEM, as Kubernetes wants it; the key stays here. */
export function certificateRequest(terms: CertificateTerms, privateKey: string): string {
  const key = createPrivateKey(privateKey);
  const content = der.sequence(
    der.zero,
    der.sequence(attribute(ORGANIZATION, terms.organization), attribute(COMMON_NAME, terms.commonName)),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der.numbered(0, ...extensions(terms)),
  );
  const request = der.sequence(content, ECDSA_WITH_SHA256, der.bits(sign('sha256', content, key)));
  const lines = request.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}

const attribute = (type: string, value: string): der.Der =>
  der.set(der.sequence(der.identifier(type), der.utf8(value)));

/** The signer of client certificates refuses a request that has the extension at all, even an empty one. */
function extensions({ dnsNames, addresses }: CertificateTerms): der.Der[] {
  const names = [
    ...dnsNames.map(name => der.numberedBytes(2, Buffer.from(name))),
    ...addresses.map(address => der.numberedBytes(7, addressBytes(address))),
  ];
  if (names.length === 0) return [];
  const extension = der.sequence(der.identifier(ALTERNATIVE_NAMES), der.octets(der.sequence(...names)));
  return [der.sequence(der.identifier(EXTENSION_REQUEST), der.set(der.sequence(extension)))];
}

export function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const all = [...left, ...(tail === undefined ? [] : zeros), ...right];
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex');
}

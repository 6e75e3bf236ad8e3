/** Subjects and subject alternative names, as certificates and certificate requests both encode them. */
import { isIPv6, SocketAddress } from 'node:net';
import * as der from './der.ts';

export interface DistinguishedName {
  /** Kubernetes takes the user name from it. */
  readonly commonName: string;
  /** Kubernetes takes the groups from them. */
  readonly organizations: readonly string[];
}

interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

export type CertificateNames = DistinguishedName & AlternativeNames;

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
export const ALTERNATIVE_NAMES = '2.5.29.17';
const DNS_NAME = 2;
const IP_ADDRESS = 7;

export function encodeSubject({ commonName, organizations }: DistinguishedName): der.Der {
  const attribute = (type: string, value: string): der.Der =>
    der.set(der.sequence(der.objectIdentifier(type), der.utf8String(value)));
  return der.sequence(
    ...organizations.map(organization => attribute(ORGANIZATION, organization)),
    attribute(COMMON_NAME, commonName),
  );
}

/** Throws a DerError for a second common name and for every attribute other than common name and organization. */
export function decodeSubject(subject: der.DerValue | undefined): DistinguishedName {
  const commonNames: string[] = [];
  const organizations: string[] = [];
  for (const set of der.childrenOf(subject, der.TAGS.sequence)) {
    for (const attribute of der.childrenOf(set, der.TAGS.set)) {
      const [type, value] = der.childrenOf(attribute, der.TAGS.sequence);
      const identifier = der.dottedIdentifier(type);
      if (identifier === COMMON_NAME) commonNames.push(decodeText(value));
      else if (identifier === ORGANIZATION) organizations.push(decodeText(value));
      else throw new der.DerError(`unsupported subject attribute ${identifier}`);
    }
  }
  return { commonName: der.only(commonNames), organizations };
}

function decodeText(value: der.DerValue | undefined): string {
  if (value?.tag !== der.TAGS.utf8String && value?.tag !== der.TAGS.printableString)
    throw new der.DerError('a subject attribute is neither a UTF8String nor a PrintableString');
  return value.content.toString('utf8');
}

/** Returns the extension, or undefined without names: some signers refuse a request that has it, even an empty one. */
export function alternativeNamesExtension({ dnsNames, addresses }: AlternativeNames): der.Der | undefined {
  const names = [
    ...dnsNames.map(name => der.implicit(DNS_NAME, Buffer.from(name))),
    ...addresses.map(address => der.implicit(IP_ADDRESS, addressBytes(address))),
  ];
  return names.length === 0 ? undefined : extension(ALTERNATIVE_NAMES, der.sequence(...names));
}

export const extension = (identifier: string, value: der.Der, critical = false): der.Der =>
  der.sequence(der.objectIdentifier(identifier), ...(critical ? [der.boolean(true)] : []), der.octetString(value));

export function decodeAlternativeNames(names: readonly der.DerValue[]): AlternativeNames {
  const dnsNames: string[] = [];
  const addresses: string[] = [];
  for (const { tag, content } of names) {
    if (tag === der.TAGS.implicit(DNS_NAME)) dnsNames.push(content.toString('latin1'));
    else if (tag === der.TAGS.implicit(IP_ADDRESS)) addresses.push(decodeAddress(content));
    else throw new der.DerError('an alternative name is neither a DNS name nor an IP address');
  }
  return { dnsNames, addresses };
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

function decodeAddress(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) throw new der.DerError('an IP address is neither IPv4 nor IPv6');
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  return canonicalAddress(groups.join(':'));
}

/** Returns the address in Node's spelling, so that equal addresses are equal strings. */
export function canonicalAddress(address: string): string {
  return address.includes(':') ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}

import { SocketAddress } from 'node:net';
import { contentOf, DerError, type DerValue, dotted, inside, only, TAGS, valuesIn } from './der-reader.ts';

/** What a certificate request (PKCS #10, RFC 2986) asks to be called. */
export interface RequestedNames {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  /** As Node writes addresses. */
  readonly addresses: readonly string[];
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ALTERNATIVE_NAMES = '2.5.29.17';
const DNS_NAME = TAGS.numberedBytes(2);
const ADDRESS = TAGS.numberedBytes(7);

const ONE_REQUEST = /^\s*-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----\s*$/;

/**
 * Reads spec.request. Who signs reads it with other eyes than ours, so whatever two readers could read in two ways is no request to
 * us: a name of another kind, one thing said twice, a part that no kubelet sends. Then the words say which.
 */
export function readRequest(encoded: string): RequestedNames | { readonly unreadable: string } {
  try {
    const [, text] = ONE_REQUEST.exec(Buffer.from(encoded, 'base64').toString('latin1')) ?? [];
    if (text === undefined) throw new DerError('it is not one PEM block of the right kind');
    const [content] = inside(only(valuesIn(Buffer.from(text, 'base64'))), TAGS.sequence);
    const [, subject, , attributes] = inside(content, TAGS.sequence);
    return { ...namesIn(subject), ...alternativeNames(attributes) };
  } catch (error) {
    if (error instanceof DerError) return { unreadable: error.message };
    throw error;
  }
}

function namesIn(subject: DerValue | undefined): Pick<RequestedNames, 'commonName' | 'organizations'> {
  const commonNames: string[] = [];
  const organizations: string[] = [];
  for (const set of inside(subject, TAGS.sequence)) {
    for (const attribute of inside(set, TAGS.set)) {
      const [type, value] = inside(attribute, TAGS.sequence);
      const name = dotted(type);
      if (name === COMMON_NAME) commonNames.push(textOf(value));
      else if (name === ORGANIZATION) organizations.push(textOf(value));
      else throw new DerError(`its subject has the attribute ${name}`);
    }
  }
  return { commonName: only(commonNames), organizations };
}

function textOf(value: DerValue | undefined): string {
  if (value?.tag !== TAGS.utf8 && value?.tag !== TAGS.printable) throw new DerError('a name in an uncommon alphabet');
  return value.content.toString('utf8');
}

/** The names are in an extension, in a sequence of extensions, in an attribute that asks for them. */
function alternativeNames(attributes: DerValue | undefined): Pick<RequestedNames, 'dnsNames' | 'addresses'> {
  const dnsNames: string[] = [];
  const addresses: string[] = [];
  const asked = attributes === undefined ? [] : inside(attributes, TAGS.numbered(0));
  for (const name of asked.length === 0 ? [] : namesAskedFor(only(asked))) {
    if (name.tag === DNS_NAME) dnsNames.push(name.content.toString('latin1'));
    else if (name.tag === ADDRESS) addresses.push(addressOf(name.content));
    else throw new DerError('it asks for a name that is neither a host name nor an address');
  }
  return { dnsNames, addresses };
}

function namesAskedFor(attribute: DerValue): DerValue[] {
  const [type, values] = inside(attribute, TAGS.sequence);
  if (dotted(type) !== EXTENSION_REQUEST) throw new DerError(`it has the attribute ${dotted(type)}`);
  const extensions = inside(only(inside(values, TAGS.set)), TAGS.sequence);
  const [id, ...rest] = inside(only(extensions), TAGS.sequence);
  if (dotted(id) !== ALTERNATIVE_NAMES) throw new DerError(`it asks for the extension ${dotted(id)}`);
  // Between id and value there may be a flag that says nothing about the names.
  return inside(only(valuesIn(contentOf(rest.at(-1), TAGS.octets))), TAGS.sequence);
}

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) throw new DerError('an address that is neither IPv4 nor IPv6');
  const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
  return canonicalAddress(groups.join(':'));
}

/** One spelling for an address, whoever wrote it. */
export function canonicalAddress(address: string): string {
  return address.includes(':') ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}

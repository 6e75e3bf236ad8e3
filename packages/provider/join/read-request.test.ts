import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as der from '../../tart-kubelet/identity/der.ts';
import { readRequest } from './read-request.ts';
import { clientSpec, servingSpec } from './testing/requests.ts';

/** Made by Go's crypto/x509, as every kubelet makes its own. */
const BY_GO = `-----BEGIN CERTIFICATE REQUEST-----
MIIBKjCB0AIBADAzMRUwEwYDVQQKEwxzeXN0ZW06bm9kZXMxGjAYBgNVBAMTEXN5
c3RlbTpub2RlOm1hYy0xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEF8l3lavO
SbOJOeQQYpxnYkjlH5ls1jb1sATC35Q9D818EHW2/REabi/vXMaQR9S5ZHuZVcNA
DJPSLZoGBw/sMqA7MDkGCSqGSIb3DQEJDjEsMCowKAYDVR0RBCEwH4IFbWFjLTGH
BAogAAmHECABDbgAAAAAAAAAAAAAAAEwCgYIKoZIzj0EAwIDSQAwRgIhAPh1HJ+K
MJWSaME3Q6ZTY77SQk6XdMD9mfshTDXLPRUnAiEAg3GgHbRzpxtiF+/9Pdergzs7
9v/1covRbfG80iSL3FY=
-----END CERTIFICATE REQUEST-----
`;

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

describe('a certificate request is read', () => {
  test('as a kubelet in Go writes it', () => {
    assert.deepEqual(readRequest(base64(BY_GO)), {
      commonName: 'system:node:mac-1',
      organizations: ['system:nodes'],
      dnsNames: ['mac-1'],
      addresses: ['10.32.0.9', '2001:db8::1'],
    });
  });

  test('as our agent writes it, with and without host names', () => {
    assert.deepEqual(readRequest(servingSpec('mac-1', ['10.32.0.9', 'fd00::12', 'mac-1']).request), {
      commonName: 'system:node:mac-1',
      organizations: ['system:nodes'],
      dnsNames: ['mac-1'],
      addresses: ['10.32.0.9', 'fd00::12'],
    });
    const client = readRequest(clientSpec('mac-1', 'abcdef').request);
    assert.deepEqual('unreadable' in client || [client.dnsNames, client.addresses], [[], []]);
  });
});

const ORGANIZATION = '2.5.4.10';
const COMMON_NAME = '2.5.4.3';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ALTERNATIVE_NAMES = '2.5.29.17';

const attribute = (type: string, value: der.Der): der.Der => der.set(der.sequence(der.identifier(type), value));
const subject = [
  attribute(ORGANIZATION, der.utf8('system:nodes')),
  attribute(COMMON_NAME, der.utf8('system:node:a')),
] as const;
const extension = (id: string, ...names: der.Der[]): der.Der =>
  der.sequence(der.identifier(id), der.octets(der.sequence(...names)));
const asking = (...extensions: der.Der[]): der.Der =>
  der.sequence(der.identifier(EXTENSION_REQUEST), der.set(der.sequence(...extensions)));
const dns = (name: string): der.Der => der.numberedBytes(2, Buffer.from(name));

function pem(...parts: readonly der.Der[]): string {
  const body = der.sequence(der.sequence(...parts), der.sequence(), der.bits(Buffer.alloc(1)));
  return `-----BEGIN CERTIFICATE REQUEST-----\n${body.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}
const request = (names: readonly der.Der[], ...attributes: der.Der[]): string =>
  pem(der.zero, der.sequence(...names), der.sequence(), der.numbered(0, ...attributes));

const NAMES = asking(extension(ALTERNATIVE_NAMES, dns('a')));
const body = (text: string): Buffer => Buffer.from(text.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
const wrapped = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;

const refused: readonly { readonly name: string; readonly text: string; readonly words: RegExp }[] = [
  { name: 'nothing', text: '', words: /not one PEM block/ },
  { name: 'a certificate', text: BY_GO.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'), words: /not one PEM block/ },
  { name: 'two requests in one', text: BY_GO + BY_GO, words: /not one PEM block/ },
  { name: 'one that is cut off', text: wrapped(body(BY_GO).subarray(0, 200)), words: /behind the end/ },
  { name: 'one with something behind it', text: wrapped(Buffer.concat([body(BY_GO), der.zero])), words: /found 2/ },
  { name: 'two common names', text: request([...subject, subject[1]]), words: /found 2/ },
  { name: 'no common name', text: request([subject[0]]), words: /found 0/ },
  {
    name: 'a subject that says more',
    text: request([...subject, attribute('2.5.4.11', der.utf8('x'))]),
    words: /2\.5\.4\.11/,
  },
  {
    name: 'a name in another alphabet',
    text: request([attribute(COMMON_NAME, der.octets(Buffer.from('a')))]),
    words: /uncommon/,
  },
  { name: 'names asked for twice', text: request(subject, NAMES, NAMES), words: /found 2/ },
  {
    name: 'two extensions with names',
    text: request(subject, asking(extension(ALTERNATIVE_NAMES, dns('a')), extension(ALTERNATIVE_NAMES, dns('b')))),
    words: /found 2/,
  },
  {
    name: 'another extension',
    text: request(subject, asking(extension('2.5.29.19'))),
    words: /extension 2\.5\.29\.19/,
  },
  {
    name: 'another attribute',
    text: request(subject, der.sequence(der.identifier('1.2.3'), der.set())),
    words: /attribute 1\.2\.3/,
  },
  {
    name: 'a mail address',
    text: request(subject, asking(extension(ALTERNATIVE_NAMES, der.numberedBytes(1, Buffer.from('a@b'))))),
    words: /neither a host name nor an address/,
  },
  {
    name: 'an address of five bytes',
    text: request(subject, asking(extension(ALTERNATIVE_NAMES, der.numberedBytes(7, Buffer.alloc(5))))),
    words: /neither IPv4 nor IPv6/,
  },
  { name: 'a length without end', text: wrapped(Buffer.from([0x30, 0x80, 0, 0])), words: /without end/ },
  {
    name: 'a length in two ways',
    text: wrapped(Buffer.from([0x30, 0x81, 0x02, 0x05, 0x00])),
    words: /longer than it needs/,
  },
  { name: 'a tag of several bytes', text: wrapped(Buffer.from([0x1f, 0x81, 0x01, 0x00])), words: /several bytes/ },
];

describe('what two could read in two ways is no request', () => {
  for (const { name, text, words } of refused) {
    test(name, () => {
      const read = readRequest(base64(text));
      assert.match('unreadable' in read ? read.unreadable : 'readable', words);
    });
  }
});

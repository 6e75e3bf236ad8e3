import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { test } from 'node:test';
import { readCertificateRequest, writeCertificateRequest } from './certificate-request.ts';
import * as der from './der.ts';
import { addressBytes } from './names.ts';

/** Written by Go's crypto/x509, as every kubelet writes its requests. */
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

const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

test('CSR: a request written by Go is read', () => {
  assert.deepEqual(readCertificateRequest(base64(BY_GO)), {
    commonName: 'system:node:mac-1',
    organizations: ['system:nodes'],
    dnsNames: ['mac-1'],
    addresses: ['10.32.0.9', '2001:db8::1'],
  });
});

const NODE_NAMES = {
  commonName: 'system:node:mac-1',
  organizations: ['system:nodes'],
  dnsNames: ['mac-1'],
  addresses: ['10.32.0.9', 'fd00::12'],
};

test('CSR: a written request is read back, with and without alternative names', () => {
  for (const names of [NODE_NAMES, { ...NODE_NAMES, dnsNames: [], addresses: [] }])
    assert.deepEqual(readCertificateRequest(base64(writeCertificateRequest(names, newKey()))), names);
});

test('CSR: a written request is signed with its key', () => {
  const key = newKey();
  const [request] = der.decodeAll(body(writeCertificateRequest(NODE_NAMES, key)));
  const [content, , signature] = der.childrenOf(request, der.TAGS.sequence);
  const signedBytes = der.sequence(der.contentOf(content, der.TAGS.sequence));
  const signatureBytes = der.contentOf(signature, der.TAGS.bitString).subarray(1); // the first byte counts unused bits
  assert.ok(verify('sha256', signedBytes, createPublicKey(key), signatureBytes));
});

test('CSR: IPv4 and IPv6 addresses are written as bytes', () => {
  assert.deepEqual([...addressBytes('10.32.0.9')], [10, 32, 0, 9]);
  assert.equal(addressBytes('fd00:1::9').toString('hex'), 'fd000001000000000000000000000009');
  assert.equal(addressBytes('::1').toString('hex'), '00000000000000000000000000000001');
});

const VERSION_1 = der.integer(Buffer.from([0]));
const ORGANIZATION = '2.5.4.10';
const COMMON_NAME = '2.5.4.3';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ALTERNATIVE_NAMES = '2.5.29.17';

const attribute = (type: string, value: der.Der): der.Der => der.set(der.sequence(der.objectIdentifier(type), value));
const subject = [
  attribute(ORGANIZATION, der.utf8String('system:nodes')),
  attribute(COMMON_NAME, der.utf8String('system:node:a')),
] as const;
const extension = (id: string, ...names: der.Der[]): der.Der =>
  der.sequence(der.objectIdentifier(id), der.octetString(der.sequence(...names)));
const asking = (...extensions: der.Der[]): der.Der =>
  der.sequence(der.objectIdentifier(EXTENSION_REQUEST), der.set(der.sequence(...extensions)));
const dns = (name: string): der.Der => der.implicit(2, Buffer.from(name));

function pem(...parts: readonly der.Der[]): string {
  const body = der.sequence(der.sequence(...parts), der.sequence(), der.bitString(Buffer.alloc(1)));
  return `-----BEGIN CERTIFICATE REQUEST-----\n${body.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}
const request = (names: readonly der.Der[], ...attributes: der.Der[]): string =>
  pem(VERSION_1, der.sequence(...names), der.sequence(), der.explicit(0, ...attributes));

const NAMES = asking(extension(ALTERNATIVE_NAMES, dns('a')));
const body = (text: string): Buffer => Buffer.from(text.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
const wrapped = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;

const unreadable: readonly { readonly name: string; readonly text: string; readonly reason: RegExp }[] = [
  { name: 'an empty text', text: '', reason: /not exactly one PEM block/ },
  {
    name: 'a certificate',
    text: BY_GO.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'),
    reason: /not exactly one PEM block/,
  },
  { name: 'two requests in one text', text: BY_GO + BY_GO, reason: /not exactly one PEM block/ },
  { name: 'a truncated request', text: wrapped(body(BY_GO).subarray(0, 200)), reason: /exceeds the end/ },
  { name: 'trailing data', text: wrapped(Buffer.concat([body(BY_GO), VERSION_1])), reason: /found 2/ },
  { name: 'two common names', text: request([...subject, subject[1]]), reason: /found 2/ },
  { name: 'no common name', text: request([subject[0]]), reason: /found 0/ },
  {
    name: 'an additional subject attribute',
    text: request([...subject, attribute('2.5.4.11', der.utf8String('x'))]),
    reason: /attribute 2\.5\.4\.11/,
  },
  {
    name: 'a subject of another string type',
    text: request([attribute(COMMON_NAME, der.octetString(Buffer.from('a')))]),
    reason: /neither a UTF8String/,
  },
  { name: 'two extension requests', text: request(subject, NAMES, NAMES), reason: /found 2/ },
  {
    name: 'two extensions with alternative names',
    text: request(subject, asking(extension(ALTERNATIVE_NAMES, dns('a')), extension(ALTERNATIVE_NAMES, dns('b')))),
    reason: /found 2/,
  },
  {
    name: 'another extension',
    text: request(subject, asking(extension('2.5.29.19'))),
    reason: /extension 2\.5\.29\.19/,
  },
  {
    name: 'another attribute',
    text: request(subject, der.sequence(der.objectIdentifier('1.2.3'), der.set())),
    reason: /attribute 1\.2\.3/,
  },
  {
    name: 'an email address',
    text: request(subject, asking(extension(ALTERNATIVE_NAMES, der.implicit(1, Buffer.from('a@b'))))),
    reason: /neither a DNS name nor an IP address/,
  },
  {
    name: 'an IP address of five bytes',
    text: request(subject, asking(extension(ALTERNATIVE_NAMES, der.implicit(7, Buffer.alloc(5))))),
    reason: /neither IPv4 nor IPv6/,
  },
  { name: 'an indefinite length', text: wrapped(Buffer.from([0x30, 0x80, 0, 0])), reason: /indefinite/ },
  {
    name: 'a length that is not in its shortest form',
    text: wrapped(Buffer.from([0x30, 0x81, 0x02, 0x05, 0x00])),
    reason: /shortest form/,
  },
  { name: 'a multi-byte tag', text: wrapped(Buffer.from([0x1f, 0x81, 0x01, 0x00])), reason: /multi-byte tag/ },
];

for (const { name, text, reason } of unreadable) {
  test(`CSR: ${name} is rejected`, () => {
    const names = readCertificateRequest(base64(text));
    assert.match('unreadable' in names ? names.unreadable : 'readable', reason);
  });
}

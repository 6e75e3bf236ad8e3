/** A PKCS #10 request in PEM with a new key, as a joining host makes one. */
import { generateKeyPairSync, sign } from 'node:crypto';
import * as der from '../pki/der.ts';

export function certificateRequest(
  commonName: string,
  organization: string,
  addresses: readonly string[] = [],
): string {
  return requestWithKey(commonName, organization, addresses).request;
}

/** The same with its key, for who wants to serve with the answer. */
export function requestWithKey(commonName: string, organization: string, addresses: readonly string[]) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const attribute = (type: string, value: string) => der.set(der.sequence(der.identifier(type), der.utf8(value)));
  const content = der.sequence(
    der.integer(Buffer.from([0])),
    der.sequence(attribute('2.5.4.10', organization), attribute('2.5.4.3', commonName)),
    publicKey.export({ type: 'spki', format: 'der' }),
    der.explicit(0, addresses.length === 0 ? Buffer.alloc(0) : alternativeNames(addresses)),
  );
  const algorithm = der.sequence(der.identifier('1.2.840.10045.4.3.2'));
  const request = der.sequence(content, algorithm, der.bits(sign('sha256', content, privateKey)));
  const lines = request.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
  return { request: pem, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** The attribute by which a request asks for extensions, with one: the IPv4 addresses it will serve on. */
function alternativeNames(addresses: readonly string[]): der.Der {
  const names = addresses.map(address => der.implicit(7, Buffer.from(address.split('.').map(Number))));
  const extension = der.sequence(der.identifier('2.5.29.17'), der.octets(der.sequence(...names)));
  return der.sequence(der.identifier('1.2.840.113549.1.9.14'), der.set(der.sequence(extension)));
}

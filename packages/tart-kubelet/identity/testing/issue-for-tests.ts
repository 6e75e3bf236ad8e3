/** A certificate for terms, signed by itself: what a signer would give, without a cluster. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { addressBytes } from '../certificate-request.ts';
import { type Credential, newPrivateKey } from '../certificate-store.ts';
import type { CertificateTerms } from '../certificate-terms.ts';
import * as der from '../der.ts';

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
): Credential {
  const subject = der.sequence(attribute('2.5.4.10', terms.organization), attribute('2.5.4.3', terms.commonName));
  const names = [
    ...terms.dnsNames.map(name => der.numberedBytes(2, Buffer.from(name))),
    ...terms.addresses.map(address => der.numberedBytes(7, addressBytes(address))),
  ];
  const extension = der.sequence(der.identifier('2.5.29.17'), der.octets(der.sequence(...names)));
  const algorithm = der.sequence(der.identifier('1.2.840.10045.4.3.2'));
  const content = der.sequence(
    der.numbered(0, Buffer.from([2, 1, 2])),
    Buffer.from([2, 1, 1]),
    algorithm,
    subject,
    der.sequence(time(life.from), time(life.to)),
    subject,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    ...(names.length > 0 ? [der.numbered(3, der.sequence(extension))] : []),
  );
  const certificate = der.sequence(content, algorithm, der.bits(sign('sha256', content, createPrivateKey(key))));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return { key, certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n` };
}

const attribute = (type: string, value: string): der.Der =>
  der.set(der.sequence(der.identifier(type), der.utf8(value)));

/** UTCTime. */
function time(milliseconds: number): der.Der {
  const text = new Date(milliseconds)
    .toISOString()
    .replaceAll(/[-:T]|\.\d+/g, '')
    .slice(2);
  return Buffer.concat([Buffer.from([0x17, text.length]), Buffer.from(text)]);
}

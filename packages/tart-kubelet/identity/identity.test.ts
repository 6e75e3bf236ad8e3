import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CertificateSigningRequest } from '@minifleet/kube';
import { certificateFinding, renewalTime } from './certificate-manager.ts';
import { certificateOf, createCertificateStore, newPrivateKey, parseCredential } from './certificate-store.ts';
import { clientTerms, covers, requestName, servingTerms } from './certificate-terms.ts';

import { requestState } from './request-certificate.ts';
import { issueForTests } from './testing/issue-for-tests.ts';

const terms = servingTerms('mini-01', ['10.32.0.9', 'mini-01', 'fd00::9']) ?? assert.fail();

function temporary(context: { after(clean: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'identity-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('a CSR has the same name only for the same key and terms', () => {
  const key = newPrivateKey();
  assert.equal(requestName(terms, key), requestName({ ...terms }, key));
  assert.match(requestName(terms, key), /^node-csr-[0-9a-f]{40}$/);
  assert.notEqual(requestName(terms, key), requestName(clientTerms('mini-01'), key));
  assert.notEqual(requestName(terms, key), requestName(terms, newPrivateKey()));
});

test('a Node without an address has no serving certificate terms', () =>
  assert.equal(servingTerms('mini-01', []), undefined));

test('a certificate does not cover a new address or another common name', () => {
  const certificate = certificateOf(issueForTests(terms));
  assert.ok(covers(certificate, terms));
  assert.ok(!covers(certificate, { ...terms, addresses: ['10.32.0.10'] }));
  assert.ok(!covers(certificate, { ...terms, commonName: 'system:node:mini-02' }));
});

test('a certificate is renewed after 70 to 90 % of its lifetime', () => {
  const certificate = certificateOf(issueForTests(terms));
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  const share = (random: number): number => (renewalTime(certificate, random) - from) / (to - from);
  assert.deepEqual([share(0).toFixed(3), share(1).toFixed(3)], ['0.700', '0.900']);
});

test('a new certificate is not renewed at once on a host whose clock is ahead', () => {
  const certificate = certificateOf(issueForTests(terms));
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  const ahead = from + (to - from) * 0.95;
  assert.ok(renewalTime(certificate, 0) < ahead);
  assert.equal(renewalTime(certificate, 0, ahead), ahead + (to - from) * 0.1);
});

const states: readonly [string, object | undefined, object][] = [
  ['waits for approval', undefined, { state: 'waiting', for: 'approval' }],
  [
    'waits for its signature',
    { conditions: [{ type: 'Approved', status: 'True' }] },
    { state: 'waiting', for: 'signature' },
  ],
  ['is denied', { conditions: [{ type: 'Denied', status: 'True', message: 'no' }] }, { state: 'denied', why: 'no' }],
  [
    'has failed after its approval',
    {
      conditions: [
        { type: 'Approved', status: 'True' },
        { type: 'Failed', status: 'True', reason: 'X' },
      ],
    },
    { state: 'failed', why: 'X' },
  ],
  [
    'is issued',
    { certificate: 'cGVt', conditions: [{ type: 'Approved', status: 'True' }] },
    { state: 'issued', certificate: 'pem' },
  ],
];
for (const [words, status, expected] of states) {
  test(`a CSR ${words}`, () => assert.deepEqual(requestState({ status } as CertificateSigningRequest), expected));
}

test('a private key is on disk with mode 0600 before its use, and the same after a restart', async context => {
  const directory = join(temporary(context), 'pki');
  const key = await createCertificateStore({ directory, name: 'client' }).nextKey();
  const again = createCertificateStore({ directory, name: 'client' });
  assert.equal(await again.nextKey(), key);
  assert.equal(statSync(join(directory, 'client-next.key')).mode & 0o777, 0o600);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  await again.discardNextKey();
  assert.notEqual(await again.nextKey(), key);
});

test('a credential is stored as one file, and its key is never reused for a request', async context => {
  const directory = temporary(context);
  const store = createCertificateStore({ directory, name: 'serving' });
  const credential = issueForTests(terms);
  writeFileSync(join(directory, 'serving-next.key'), credential.key);
  await store.keep(credential);
  assert.deepEqual(await store.read(), credential);
  assert.deepEqual(readdirSync(directory), ['serving.pem']);
  writeFileSync(join(directory, 'serving-next.key'), credential.key); // as if the process had ended in between
  assert.notEqual(await store.nextKey(), credential.key);
});

test('a damaged credential file yields no credential', async context => {
  const directory = temporary(context);
  const store = createCertificateStore({ directory, name: 'client' });
  assert.equal(await store.read(), undefined);
  const [one, other] = [issueForTests(terms), issueForTests(terms)];
  for (const text of ['', 'garbage', one.key, one.certificate, `${one.key}${other.certificate}`]) {
    assert.equal(parseCredential(text), undefined);
  }
});

test('CertificatesReady reports what is missing, and a failing renewal of a valid certificate', () => {
  const error = { reason: 'CertificateRequestDenied', message: 'denied' };
  const say = (...views: Parameters<typeof certificateFinding>): string => {
    const { status, reason, message } = certificateFinding(...views);
    return `${status} ${reason}: ${message}`;
  };
  const valid = { valid: true };
  assert.equal(say(valid, valid), 'True CertificatesValid: client and serving certificate are valid');
  assert.equal(
    say(valid, { valid: false, waitingFor: 'node-csr-1' }),
    'False WaitingForApproval: no serving certificate: node-csr-1 is waiting for approval',
  );
  assert.equal(say({ valid: false, error }, valid), 'False CertificateRequestDenied: no client certificate: denied');
  assert.equal(
    say(valid, { valid: true, error }),
    'True RenewalFails: certificates are valid, but renewal fails: denied',
  );
});

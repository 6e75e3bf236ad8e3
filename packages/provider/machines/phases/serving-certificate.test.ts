import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificateSigningRequest } from '@minifleet/kube';
import { requestOf, servingSpec } from '../../join/testing/requests.ts';
import { type CertificateView, judgeCertificate } from './serving-certificate.ts';

const SPEC = servingSpec('a', ['a']);
type Status = NonNullable<CertificateSigningRequest['status']>;

const condition = (type: string, message = '') => ({ type, status: 'True', reason: 'r', message });
const request = (name: string, minute: number, status: Status = {}): CertificateSigningRequest =>
  requestOf(SPEC, { metadata: { name, creationTimestamp: `2030-01-01T00:0${minute}:00Z` }, status });
const issued = { certificate: 'eA==', conditions: [condition('Approved')] };
const denied = { conditions: [condition('Denied', 'a foreign address')] };
const agent = (status: 'True' | 'False', message = '') => ({ status, message });

const cases: readonly {
  readonly name: string;
  readonly view: Partial<CertificateView>;
  readonly end: string;
  readonly words?: RegExp;
}[] = [
  { name: 'nothing asked yet', view: {}, end: 'waiting WaitingForRequest', words: /has not requested/ },
  {
    name: 'asked',
    view: { requests: [request('r', 1)] },
    end: 'waiting WaitingForRequest',
    words: /r waits for approval/,
  },
  {
    name: 'approved and not signed',
    view: { requests: [request('r', 1, { conditions: [condition('Approved')] })] },
    end: 'waiting WaitingForRequest',
    words: /waits for its signer/,
  },
  { name: 'issued', view: { requests: [request('r', 1, issued)] }, end: 'passed CertificateIssued' },
  {
    name: 'issued, and the agent has not said so yet',
    view: { requests: [request('r', 1, issued)], agent: agent('False') },
    end: 'passed CertificateIssued',
  },
  {
    name: 'denied',
    view: { requests: [request('r', 1, denied)] },
    end: 'waiting RequestDenied',
    words: /r was denied: a foreign address/,
  },
  {
    name: 'denied at first, issued then',
    view: { requests: [request('r2', 2, issued), request('r1', 1, denied)] },
    end: 'passed CertificateIssued',
  },
  {
    name: 'issued at first, denied for another address',
    view: { requests: [request('r2', 2, denied), request('r1', 1, issued)], held: true, agent: agent('False') },
    end: 'waiting RequestDenied',
  },
  {
    name: 'the renewal denied while the certificate is good',
    view: { requests: [request('r', 1, denied)], agent: agent('True'), held: true },
    end: 'passed CertificateIssued',
    words: /renewal \(request r\) was denied: a foreign address/,
  },
  {
    name: 'a renewal under way',
    view: { requests: [request('r', 1)], agent: agent('True') },
    end: 'passed CertificateIssued',
  },
  {
    name: 'refused by the signer',
    view: { requests: [request('r', 1, { conditions: [condition('Approved'), condition('Failed', 'no SAN')] })] },
    end: 'waiting WaitingForRequest',
    words: /signer failed the request r: no SAN/,
  },
  {
    name: 'the request collected, the agent says it is good',
    view: { agent: agent('True') },
    end: 'passed CertificateIssued',
  },
  {
    name: 'the request collected, an agent that says nothing, and it held',
    view: { held: true },
    end: 'passed CertificateIssued',
  },
  {
    name: 'the request collected, and the agent has lost it',
    view: { held: true, agent: agent('False', 'no serving certificate yet') },
    end: 'waiting WaitingForRequest',
    words: /no serving certificate yet/,
  },
];

for (const { name, view, end, words } of cases) {
  test(`the serving certificate, ${name}: ${end}`, () => {
    const judged = judgeCertificate({ requests: [], agent: undefined, held: false, ...view });
    assert.equal(`${judged.kind} ${judged.reason}`, end);
    if (words) assert.match(judged.message ?? '', words);
  });
}

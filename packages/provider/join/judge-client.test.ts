import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootstrapToken } from './bootstrap-token.ts';
import { type ClientQuestion, judgeClient } from './client-approver.ts';
import { machineOf, nodeOf, PROVIDER_ID } from './testing/machine.ts';
import { clientSpec } from './testing/requests.ts';

const tokenOf = (name: string): BootstrapToken => ({
  id: 'abcdef',
  secret: '0123456789abcdef',
  expiresAt: 1,
  machine: { namespace: 'fleet', name },
  machineUID: `uid-of-${name}`,
  host: 'h',
});
const OWN = clientSpec('a', 'abcdef');
const joining: ClientQuestion = {
  spec: OWN,
  nodeName: 'a',
  machines: [machineOf('a')],
  node: undefined,
  token: tokenOf('a'),
};
const renewing: ClientQuestion = { ...joining, node: nodeOf('a'), token: undefined };
const DELETED = machineOf('a', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } });

const cases: readonly {
  readonly name: string;
  readonly asked: ClientQuestion;
  readonly verdict: 'approve' | 'deny';
  readonly words?: RegExp;
}[] = [
  { name: 'its own token', asked: joining, verdict: 'approve' },
  {
    name: 'its own token, when its Node is there already',
    asked: { ...joining, node: nodeOf('a') },
    verdict: 'approve',
  },
  { name: 'its own certificate', asked: renewing, verdict: 'approve' },
  {
    name: 'its own certificate, while its Pods are let end',
    asked: { ...renewing, machines: [DELETED] },
    verdict: 'approve',
  },
  {
    name: 'a token for another Node',
    asked: { ...joining, spec: clientSpec('b', 'abcdef') },
    verdict: 'deny',
    words: /subject is system:node:b instead of that of Node a/,
  },
  {
    name: 'a token of a deleted machine',
    asked: { ...joining, machines: [] },
    verdict: 'deny',
    words: /machine a does not exist/,
  },
  {
    name: 'a token of an earlier machine of the name',
    asked: { ...joining, machines: [machineOf('a', { metadata: { uid: 'later' } })] },
    verdict: 'deny',
    words: /earlier machine a/,
  },
  {
    name: 'a token of a machine that is being deleted',
    asked: { ...joining, machines: [DELETED] },
    verdict: 'deny',
    words: /being deleted/,
  },
  {
    name: 'a name that two machines have',
    asked: { ...joining, machines: [machineOf('a'), machineOf('a', { metadata: { namespace: 'other' } })] },
    verdict: 'deny',
    words: /fleet\/a and other\/a would share the Node a/,
  },
  {
    name: 'a Node with another providerID',
    asked: { ...joining, node: nodeOf('a', `${PROVIDER_ID}9`) },
    verdict: 'deny',
    words: /already exists with the providerID scw-applesilicon:\S+9/,
  },
  {
    name: 'more than a client needs',
    asked: { ...joining, spec: { ...OWN, usages: ['digital signature', 'client auth', 'server auth'] } },
    verdict: 'deny',
    words: /usage server auth/,
  },
  {
    name: 'names in it',
    asked: { ...joining, spec: clientSpec('a', 'abcdef', { dnsNames: ['a'] }) },
    verdict: 'deny',
    words: /must not contain DNS names/,
  },
  {
    name: 'the organization of masters',
    asked: { ...joining, spec: clientSpec('a', 'abcdef', { organization: 'system:masters' }) },
    verdict: 'deny',
    words: /system:masters/,
  },
];

for (const { name, asked, verdict, words } of cases) {
  test(`a client request with ${name}: ${verdict}`, () => {
    const judged = judgeClient(asked);
    assert.equal(judged.kind, verdict, 'why' in judged ? judged.why : '');
    if (words) assert.match('why' in judged ? judged.why : '', words);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeServing, type ServingQuestion } from './serving-approver.ts';
import { machineOf, nodeOf, PROVIDER_ID } from './testing/machine.ts';
import { servingSpec } from './testing/requests.ts';

const A = machineOf('a');
const OWN = servingSpec('a', ['10.32.0.9', 'a']);
const question = (said: Partial<ServingQuestion>): ServingQuestion => ({
  spec: OWN,
  machine: A,
  node: nodeOf('a'),
  ...said,
});

const cases: readonly {
  readonly name: string;
  readonly said: Partial<ServingQuestion>;
  readonly verdict: 'approve' | 'deny' | 'wait';
  readonly words?: RegExp;
}[] = [
  { name: 'its name and an address of its host', said: {}, verdict: 'approve' },
  {
    name: 'all its addresses, however they are spelt',
    said: { spec: servingSpec('a', ['203.0.113.1', '2001:db8::1']) },
    verdict: 'approve',
  },
  {
    name: 'key encipherment, which RSA needs',
    said: { spec: { ...OWN, usages: ['digital signature', 'key encipherment', 'server auth'] } },
    verdict: 'approve',
  },
  {
    name: 'a foreign address',
    said: { spec: servingSpec('a', ['10.32.0.9', '10.99.0.1']) },
    verdict: 'deny',
    words: /requests the address 10\.99\.0\.1, but the known addresses are 203\.0\.113\.1, 10\.32\.0\.9/,
  },
  {
    name: 'an unknown address before the first job reported addresses',
    said: { spec: servingSpec('a', ['10.99.0.1']), machine: machineOf('a', { status: {} }) },
    verdict: 'wait',
    words: /the known addresses are none/,
  },
  {
    name: 'the name of another',
    said: { spec: servingSpec('a', ['a', 'b']) },
    verdict: 'deny',
    words: /DNS name b, but the host name is a/,
  },
  { name: 'no name at all', said: { spec: servingSpec('a', []) }, verdict: 'deny', words: /no name and no address/ },
  {
    name: 'the certificate of another Node',
    said: { spec: servingSpec('a', ['a'], { commonName: 'system:node:b' }) },
    verdict: 'deny',
    words: /subject is system:node:b instead of that of Node a/,
  },
  {
    name: 'another organization',
    said: { spec: servingSpec('a', ['a'], { organization: 'system:masters' }) },
    verdict: 'deny',
    words: /organization is system:masters/,
  },
  {
    name: 'the rights of a client, too',
    said: { spec: { ...OWN, usages: ['digital signature', 'server auth', 'client auth'] } },
    verdict: 'deny',
    words: /usage client auth/,
  },
  {
    name: 'nothing to serve with',
    said: { spec: { ...OWN, usages: ['digital signature'] } },
    verdict: 'deny',
    words: /not request the key usage server auth/,
  },
  {
    name: 'what cannot be read',
    said: { spec: { ...OWN, request: 'bm9uc2Vuc2U=' } },
    verdict: 'deny',
    words: /cannot be parsed/,
  },
  {
    name: 'its name from outside the group of nodes',
    said: { spec: { ...OWN, groups: ['system:authenticated'] } },
    verdict: 'deny',
    words: /not in the group system:nodes/,
  },
  {
    name: 'its name before we see its Node',
    said: { node: undefined },
    verdict: 'wait',
    words: /has no providerID yet/,
  },
  { name: 'its name before its Node has a providerID', said: { node: nodeOf('a', '') }, verdict: 'wait' },
  {
    name: 'its name as the Node of another host',
    said: { node: nodeOf('a', `${PROVIDER_ID}9`) },
    verdict: 'deny',
    words: /has the providerID scw-applesilicon:\S+9 instead of scw/,
  },
];

for (const { name, said, verdict, words } of cases) {
  test(`a serving request with ${name}: ${verdict}`, () => {
    const judged = judgeServing(question(said));
    assert.equal(judged.kind, verdict, 'why' in judged ? judged.why : '');
    if (words) assert.match('why' in judged ? judged.why : '', words);
  });
}

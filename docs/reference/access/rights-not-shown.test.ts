import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeAgent as account } from './accounts.ts';
import { grantedIn } from './kubectl-answers.ts';
import type { Row } from './record-access.ts';
import { rightsNotShown } from './rights-not-shown.ts';

const LIST = `pods/log              []     []        [get]
serviceaccounts/token []     [a b]     [create]
signers.x.io          []     [x.io/y]  [approve]
                      [/]    []        [get]
`;
const granted = new Map([['default', grantedIn(LIST)]]);
const onlyGet: Row['answers'] = ['yes', 'no', 'no', 'no', 'no', 'no', 'no'];
const onlyCreate: Row['answers'] = ['no', 'no', 'no', 'yes', 'no', 'no', 'no'];

test('a line of kubectl auth can-i --list is parsed into resource, paths, names and verbs', () => {
  assert.deepEqual(grantedIn(LIST)[1], {
    resource: 'serviceaccounts/token',
    paths: [],
    names: ['a', 'b'],
    verbs: ['create'],
  });
  assert.deepEqual(grantedIn(LIST)[3], { resource: '', paths: ['/'], names: [], verbs: ['get'] });
  assert.throws(() => grantedIn('error: no'), /an unexpected line/);
});

test('a permission that no row grants is reported with its name and namespace', () => {
  const rows: Row[] = [
    { what: 'pods/log', place: 'tuist-runners', answers: onlyGet },
    { what: 'serviceaccounts/token a', place: 'everywhere', answers: onlyCreate },
  ];
  assert.deepEqual(rightsNotShown({ account, rows, granted }), [
    'get pods/log in default',
    'create serviceaccounts/token b in default',
  ]);
});

test('no permission is missing where rows grant it in the namespace or everywhere', () => {
  const rows: Row[] = [
    { what: 'pods/log', place: 'default', answers: onlyGet },
    { what: 'serviceaccounts/token a', place: 'default', answers: onlyCreate },
    { what: 'serviceaccounts/token b', place: 'everywhere', answers: onlyCreate },
  ];
  assert.deepEqual(rightsNotShown({ account, rows, granted }), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dedupeKey, dedupeKeys, isRepeat } from './dedupe-key.ts';

const same: readonly (readonly [string, string])[] = [
  ['tried 3 times', 'tried 12 times'],
  ['no answer for 45s', 'no answer for 1m30s'],
  ['no answer for 45 seconds', 'no answer for 1 minute'],
  ['no answer within 1.5s.', 'No answer within 900ms'],
  ['tried again at 2030-01-01T03:05:00Z', 'tried again at 2030-11-21T13:15:20Z'],
  ['1 of 3 replicas', '2 of 10  replicas'],
];
for (const [one, other] of same) {
  test(`“${one}” and “${other}” have the same dedupe key`, () => assert.equal(dedupeKey(one), dedupeKey(other)));
}

test('different messages have different dedupe keys', () => {
  assert.notEqual(dedupeKey('step tart: no such file'), dedupeKey('step sudo: no such file'));
  assert.notEqual(dedupeKey('no answer from sm-a'), dedupeKey('no answer from sm-b'));
});

test('an item added to a list is not a repeat', () => {
  const printed = dedupeKeys('GUISessionReady: no user is logged in');
  assert.ok(isRepeat('Ready is False: GUISessionReady: no user is logged in', printed));
  assert.ok(!isRepeat('GUISessionReady: no user is logged in; TartReady: killed', printed));
  assert.ok(!isRepeat('anything', []));
});

test('a single word does not match every message that ends with it', () => {
  assert.ok(!isRepeat('the agent was killed', dedupeKeys('killed')));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LedgerEntries, nextLedger, parseLedger } from './ledger.ts';

const NOON = Date.UTC(2030, 0, 1, 12);
const line = { fingerprint: 'f1', state: 'current', durationMs: 5, attempts: 0 } as const;
const entries: LedgerEntries = { plan: 'p', holder: 'ada', order: ['one', 'two'], steps: { one: line, two: line } };

test('a ledger is converged when every step of its plan is current', () => {
  assert.equal(nextLedger(undefined, entries, NOON)?.converged, true);
  const drifted = { ...entries, steps: { one: line, two: { ...line, state: 'needs reboot' as const } } };
  assert.equal(nextLedger(undefined, drifted, NOON)?.converged, false);
  assert.equal(nextLedger(undefined, { ...entries, steps: { one: line } }, NOON)?.converged, false);
});

test('a ledger with the same content is not written again', () => {
  const before = nextLedger(undefined, entries, NOON);
  assert.equal(nextLedger(before, { ...entries, holder: 'bob' }, NOON + 60_000), undefined);
  assert.notEqual(nextLedger(before, { ...entries, plan: 'q' }, NOON), undefined);
  const fewer = { ...entries, order: ['one'], steps: { one: line } };
  assert.notEqual(nextLedger(before, fewer, NOON), undefined);
});

test('an unchanged ledger step keeps its timestamp', () => {
  const before = nextLedger(undefined, entries, NOON);
  const failed = { ...line, state: 'failed', attempts: 1, error: { code: 'X', message: 'y' } } as const;
  const after = nextLedger(before, { ...entries, steps: { one: line, two: failed } }, NOON + 60_000);
  assert.equal(after?.steps['one']?.at, '2030-01-01T12:00:00Z');
  assert.equal(after?.steps['two']?.at, '2030-01-01T12:01:00Z');
});

test('a written ledger is read back, and invalid text is no ledger', () => {
  const ledger = nextLedger(undefined, entries, NOON);
  assert.deepEqual(parseLedger(JSON.stringify(ledger)), ledger);
  const wrong = [
    '',
    'null',
    '[]',
    '{}',
    '{"version":2}',
    JSON.stringify({ ...ledger, steps: { one: { attempts: '3' } } }),
  ];
  for (const text of wrong) assert.equal(parseLedger(text), undefined, text);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crdFieldDifference } from './crd-field-difference.ts';

const object = (...names: readonly string[]) => ({
  properties: { spec: { properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])) } },
});

test('a field missing in the cluster makes its CRD older, an unknown field makes it newer', () => {
  assert.deepEqual(crdFieldDifference(object('a', 'b'), object('a')), { lacking: ['.spec.b'], unknown: [] });
  assert.deepEqual(crdFieldDifference(object('a'), object('a', 'b')), { lacking: [], unknown: ['.spec.b'] });
});

test('the CRD comparison descends into lists and maps and ignores descriptions', () => {
  const list = { properties: { steps: { items: object('a'), description: 'one' } } };
  const same = { properties: { steps: { items: object('a'), description: 'another' } } };
  const map = { properties: { ends: { additionalProperties: object('a') } } };
  assert.deepEqual(crdFieldDifference(list, same), { lacking: [], unknown: [] });
  assert.deepEqual(crdFieldDifference(list, { properties: { steps: {} } }).lacking, [
    '.steps[].spec',
    '.steps[].spec.a',
  ]);
  assert.deepEqual(crdFieldDifference(map, { properties: { ends: {} } }).lacking, ['.ends.*.spec', '.ends.*.spec.a']);
});

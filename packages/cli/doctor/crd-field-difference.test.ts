import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crdFieldDifference } from './crd-field-difference.ts';

const object = (...names: readonly string[]) => ({
  properties: { spec: { properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])) } },
});

test('a field the cluster does not know makes its CRD older, one that we do not know newer', () => {
  assert.deepEqual(crdFieldDifference(object('a', 'b'), object('a')), { lacking: ['.spec.b'], unknown: [] });
  assert.deepEqual(crdFieldDifference(object('a'), object('a', 'b')), { lacking: [], unknown: ['.spec.b'] });
});

test('lists and maps are looked into; other words for the same fields are no difference', () => {
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

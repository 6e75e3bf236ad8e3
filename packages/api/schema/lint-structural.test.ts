import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { lintStructural } from './lint-structural.ts';
import { type OpenApi, toOpenApi } from './open-api.ts';

const field = (schema: OpenApi): OpenApi => ({
  type: 'object',
  properties: { field: { description: 'A field.', ...schema } },
});
const text = { type: 'string', maxLength: 8 };

const refused: readonly [string, OpenApi, RegExp][] = [
  ['const', { ...text, const: 'a' }, /const is not allowed: write an enum/],
  ['$ref', { type: 'object', $ref: '#/x' }, /\$ref is not allowed/],
  ['oneOf', { type: 'object', oneOf: [] }, /oneOf is not allowed/],
  ['anyOf', { type: 'object', anyOf: [] }, /anyOf is not allowed/],
  ['allOf', { type: 'object', allOf: [] }, /allOf is not allowed/],
  ['not', { type: 'object', not: {} }, /not is not allowed/],
  ['propertyNames', { type: 'object', propertyNames: {} }, /propertyNames is not allowed/],
  [
    'uniqueItems',
    { type: 'array', maxItems: 1, 'x-kubernetes-list-type': 'set', uniqueItems: true },
    /uniqueItems is not allowed/,
  ],
  ['a numeric exclusiveMinimum', { type: 'integer', exclusiveMinimum: 0 }, /exclusiveMinimum must be true or false/],
  ['a missing type', {}, /has no type/],
  [
    'additionalProperties: false',
    { type: 'object', additionalProperties: false },
    /additionalProperties must be a schema/,
  ],
  [
    'properties beside additionalProperties',
    { type: 'object', properties: {}, additionalProperties: text, maxProperties: 1 },
    /exclude each other/,
  ],
  ['an array without list type', { type: 'array', maxItems: 1, items: text }, /needs x-kubernetes-list-type/],
  [
    'a list map without keys',
    { type: 'array', maxItems: 1, items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
    /needs x-kubernetes-list-map-keys/,
  ],
  [
    'an optional list key',
    {
      type: 'array',
      maxItems: 1,
      items: { type: 'object' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    /list key name must be required/,
  ],
  ['an unbounded string', { type: 'string' }, /needs maxLength/],
  ['an unbounded array', { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' }, /needs maxItems/],
  ['an unbounded map', { type: 'object', additionalProperties: text }, /needs maxProperties/],
  ['a field without description', { ...text, description: '' }, /field field has no description/],
  ['a look-ahead in a pattern', { ...text, pattern: '^(?!a)' }, /is not RE2/],
  [
    'a back-reference in a rule',
    { ...text, 'x-kubernetes-validations': [{ rule: "self.matches(r'(a)\\1')" }] },
    /is not RE2/,
  ],
  [
    'a reserved word in a rule',
    { ...text, 'x-kubernetes-validations': [{ rule: "self.namespace == ''" }] },
    /write __namespace__/,
  ],
  ['a null default', { ...text, default: null }, /default cannot be null/],
];

for (const [name, schema, problem] of refused) {
  test(`the structural lint refuses ${name}`, () => {
    assert.match(lintStructural(field(schema)).join('\n'), problem);
  });
}

test('the structural lint passes a plain field', () => {
  assert.deepEqual(lintStructural(field(text)), []);
});

test('the structural lint names the place, through lists and maps', () => {
  const schema = field({ type: 'array', maxItems: 1, 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } });
  assert.match(lintStructural(schema).join('\n'), /^field\[\]: a string needs maxLength/);
});

test('the structural lint refuses what zod makes of a discriminated union', () => {
  const union = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]);
  assert.match(
    lintStructural(toOpenApi(z.object({ union: union.describe('One of two.') }))).join('\n'),
    /(oneOf|anyOf) is not allowed/,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJsonSchema } from './validator.ts';

test('JSON Schema: nullable becomes a type, also in enums and next to references', () => {
  assert.deepEqual(toJsonSchema({ type: 'string', nullable: true, enum: ['a'], example: 'a' }), {
    type: ['string', 'null'],
    enum: ['a', null],
  });
  assert.deepEqual(toJsonSchema({ nullable: true, $ref: '#/components/schemas/runner' }), {
    anyOf: [{ $ref: 'runner' }, { type: 'null' }],
  });
});

test('JSON Schema: a property may have the name of a keyword', () => {
  const properties = { example: { type: 'string' }, nullable: { type: 'boolean' } };
  assert.deepEqual(toJsonSchema({ type: 'object', properties }), { type: 'object', properties });
});

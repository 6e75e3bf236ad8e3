import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { kubernetes, quantity, time } from './kubernetes.ts';
import { toOpenApi } from './open-api.ts';

import { matching, withRules } from './rule.ts';

test('a field with a default need not be written', () => {
  const schema = toOpenApi(z.object({ zone: z.string().max(9).default('fr-par-1'), name: z.string().max(9) }));
  assert.deepEqual(schema.required, ['name']);
  assert.equal(schema.properties?.['zone']?.default, 'fr-par-1');
});

test('a quantity becomes the one form of int-or-string that the API server takes', () => {
  const { anyOf, type } = toOpenApi(quantity);
  assert.deepEqual(anyOf, [{ type: 'integer' }, { type: 'string' }]);
  assert.equal(type, undefined);
});

test('a time is a format without a pattern, and an integer has no bounds of its own', () => {
  assert.deepEqual(toOpenApi(time), { type: 'string', format: 'date-time' });
  assert.deepEqual(toOpenApi(z.int()), { type: 'integer' });
});

test('a map has no propertyNames', () => {
  const schema = toOpenApi(kubernetes(z.record(z.string(), z.string().max(3)), { maxProperties: 2 }));
  assert.deepEqual(schema, {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 3 },
    maxProperties: 2,
  });
});

test('an open object keeps unknown fields and describes none', () => {
  const open = kubernetes(z.looseObject({}), { 'x-kubernetes-preserve-unknown-fields': true });
  assert.deepEqual(toOpenApi(open), { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
});

test('rules reach the schema through optional and describe, with backslashes and slashes as CEL wants them', () => {
  const rule = matching(/^a\/\d$/, { message: 'write a/1', accepts: ['a/1'], rejects: ['b'] });
  const schema = toOpenApi(withRules(z.string().max(3), [rule]).optional().describe('Text.'));
  assert.deepEqual(schema['x-kubernetes-validations'], [{ rule: "self.matches(r'^a/\\d$')", message: 'write a/1' }]);
});

test('rules added to a schema join the ones it has, and leave the original alone', () => {
  const first = matching(/^a/, { message: 'first', accepts: [], rejects: [] });
  const second = matching(/b$/, { message: 'second', accepts: [], rejects: [] });
  const original = withRules(z.string().max(3), [first]);
  const both = withRules(original, [second]);
  const messages = (schema: z.ZodType) => {
    return (toOpenApi(schema)['x-kubernetes-validations'] as { message: string }[]).map(({ message }) => message);
  };
  assert.deepEqual(messages(both), ['first', 'second']);
  assert.deepEqual(messages(original), ['first']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { fillDefaults } from './defaults.ts';

const schema = z.object({
  spec: z
    .object({ zone: z.string().default('here'), runner: z.object({ org: z.string().default('us') }).optional() })
    .prefault({}),
  list: z.array(z.object({ size: z.int().default(1) })).optional(),
  map: z.record(z.string(), z.object({ size: z.int().default(2) })).optional(),
});

test('a missing object with a default is made and then filled', () => {
  assert.deepEqual(fillDefaults(schema, {}), { spec: { zone: 'here' } });
});

test('defaults inside an absent optional object stay away, and come with the object', () => {
  assert.deepEqual(fillDefaults(schema, { spec: { runner: {} } }), { spec: { zone: 'here', runner: { org: 'us' } } });
});

test('defaults reach into lists and maps', () => {
  assert.deepEqual(fillDefaults(schema, { list: [{}], map: { a: {} } }), {
    spec: { zone: 'here' },
    list: [{ size: 1 }],
    map: { a: { size: 2 } },
  });
});

test('unknown fields stay and the given object is not touched', () => {
  const given = Object.freeze({ spec: Object.freeze({ strange: 1 }) });
  assert.deepEqual(fillDefaults(schema, given), { spec: { strange: 1, zone: 'here' } });
});

test('a null is left for validation to report', () => {
  assert.deepEqual(fillDefaults(schema, { spec: null }), { spec: null });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { time } from './kubernetes.ts';
import { matching, withRules } from './rule.ts';
import { validate } from './validate.ts';

const lowerCase = matching(/^[a-z]*$/, { message: 'write lower case', accepts: [], rejects: [] });
const fixed = {
  cel: 'self == oldSelf',
  message: 'cannot change',
  checkChange: (self: string, old: string) => self === old,
  accepts: [],
  rejects: [],
};

const schema = z.object({
  spec: z.object({
    adoptPoolPrefix: withRules(z.string().max(8), [lowerCase]).optional(),
    zone: withRules(z.string(), [fixed]).default('here'),
    count: z.int().min(1).max(3).optional(),
    mode: z.enum(['Return', 'Retain']).optional(),
    when: time.optional(),
    hosts: z.array(z.object({ name: z.string() })).optional(),
  }),
  status: z.object({ ready: z.boolean().optional() }).optional(),
});

function messagesFor(object: unknown, old?: unknown): readonly string[] {
  return validate(schema, object, old).problems.map(({ path, message }) => `${path}: ${message}`);
}

test('a good object has no problems', () => {
  assert.deepEqual(validate(schema, { spec: { adoptPoolPrefix: 'pool' } }), { ok: true, problems: [] });
});

test('a misspelt field is reported with the name that was meant', () => {
  assert.deepEqual(messagesFor({ spec: { adoptPoolPrefx: 'pool' } }), [
    'spec.adoptPoolPrefx: unknown field spec.adoptPoolPrefx: did you mean adoptPoolPrefix?',
  ]);
});

test('an unknown field with no near name is reported without a guess', () => {
  assert.deepEqual(messagesFor({ spec: { colour: 'red' } }), ['spec.colour: unknown field spec.colour: remove it']);
});

test('an unknown field inside a list is reported with its index', () => {
  assert.deepEqual(messagesFor({ spec: { hosts: [{ name: 'a' }, { name: 'b', nam: 'c' }] } }), [
    'spec.hosts[1].nam: unknown field spec.hosts[1].nam: did you mean name?',
  ]);
});

test('status fields of the previous system are ignored', () => {
  assert.deepEqual(messagesFor({ spec: {}, status: { phase: 'Ready' } }), []);
});

test('a message says where, what was got and what to write', () => {
  assert.deepEqual(messagesFor({ spec: { count: 'three', mode: 'Drop', when: 'soon', hosts: [{}] } }), [
    'spec.count: got "three": write a number',
    'spec.mode: got "Drop": write one of Return, Retain',
    'spec.when: got "soon": write a time such as 2026-05-19T08:00:00Z',
    'spec.hosts[0].name: is missing: write a text',
  ]);
  assert.deepEqual(messagesFor({ spec: { count: 9 } }), ['spec.count: got 9: write a number of at most 3']);
  assert.deepEqual(messagesFor({}), ['spec: is missing: write an object']);
});

test('a broken rule gives its own sentence', () => {
  assert.deepEqual(messagesFor({ spec: { adoptPoolPrefix: 'POOL' } }), ['spec.adoptPoolPrefix: write lower case']);
});

test('rules wait until the shape is right, as in the API server', () => {
  assert.deepEqual(messagesFor({ spec: { adoptPoolPrefix: 'POOL', count: 9 } }), [
    'spec.count: got 9: write a number of at most 3',
  ]);
});

test('a change rule compares with the old object, defaults filled in on both sides', () => {
  assert.deepEqual(messagesFor({ spec: { zone: 'there' } }, { spec: {} }), ['spec.zone: cannot change']);
  assert.deepEqual(messagesFor({ spec: {} }, { spec: { zone: 'here' } }), []);
  assert.deepEqual(messagesFor({ spec: { zone: 'there' } }), []);
});

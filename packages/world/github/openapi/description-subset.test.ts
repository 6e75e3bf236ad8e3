import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedDescription } from './description.ts';
import { descriptionSubset } from './description-subset.ts';

const json = (schema: unknown): object => ({ description: 'text', content: { 'application/json': { schema } } });
const ref = (kind: string, name: string): object => ({ $ref: `#/components/${kind}/${name}` });

const FULL = {
  paths: {
    '/a': {
      get: {
        summary: 'text',
        parameters: [
          ref('parameters', 'page'),
          { name: 'q', in: 'query', description: 'text', schema: { type: 'string' } },
        ],
        responses: { 200: json(ref('schemas', 'outer')), 404: ref('responses', 'missing') },
      },
      delete: { responses: {} },
    },
    '/b': { get: { responses: {} } },
  },
  'x-webhooks': {
    'job-queued': { post: { requestBody: json(ref('schemas', 'inner')), responses: { 200: { description: 'text' } } } },
    'star-created': { post: { responses: {} } },
  },
  components: {
    schemas: {
      outer: { type: 'object', title: 'text', properties: { description: ref('schemas', 'inner') } },
      inner: { type: 'string', example: 'text', 'x-text': 1 },
      unused: { type: 'string' },
    },
    parameters: { page: { name: 'page', in: 'query', description: 'text', schema: { type: 'integer' } }, unused: {} },
    responses: { missing: json({ type: 'object' }), unused: {} },
  },
};

test('an OpenAPI subset keeps the given operations and what they refer to, without documentation', () => {
  const body = (schema: unknown): object => ({ content: { 'application/json': { schema } } });
  assert.deepEqual(descriptionSubset(FULL, { operations: [{ method: 'GET', path: '/a' }], webhooks: 'job-' }), {
    paths: {
      '/a': {
        get: {
          parameters: [ref('parameters', 'page'), { name: 'q', in: 'query', schema: { type: 'string' } }],
          responses: { 200: body(ref('schemas', 'outer')), 404: ref('responses', 'missing') },
        },
      },
    },
    'x-webhooks': { 'job-queued': { post: { requestBody: body(ref('schemas', 'inner')), responses: { 200: {} } } } },
    components: {
      schemas: {
        inner: { type: 'string' },
        outer: { type: 'object', properties: { description: ref('schemas', 'inner') } },
      },
      parameters: { page: { name: 'page', in: 'query', schema: { type: 'integer' } } },
      responses: { missing: body({ type: 'object' }) },
    },
  });
});

test('an OpenAPI subset of an operation that does not exist is an error', () => {
  const operations = [{ method: 'PUT', path: '/a' }];
  assert.throws(() => descriptionSubset(FULL, { operations, webhooks: 'job-' }), /PUT \/a: not in the given/);
});

test('the committed OpenAPI subset has every event of workflow jobs', () => {
  assert.deepEqual(Object.keys(publishedDescription()['x-webhooks']), [
    'workflow-job-completed',
    'workflow-job-in-progress',
    'workflow-job-queued',
    'workflow-job-waiting',
  ]);
});

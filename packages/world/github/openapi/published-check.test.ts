import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restRoutes } from '../rest/rest-routes.ts';
import type { GithubRoute } from '../rest/route.ts';
import { createPublishedCheck } from './published-check.ts';

const route = (method: string, path: string): GithubRoute => {
  const found = restRoutes.find(each => each.method === method && each.path === path);
  assert.ok(found);
  return found;
};
const JIT = route('POST', '/orgs/{org}/actions/runners/generate-jitconfig');
const LIST = route('GET', '/orgs/{org}/actions/runners');
const REQUEST = { method: '', headers: {}, id: '', signal: new AbortController().signal };

function deviations(act: (check: ReturnType<typeof createPublishedCheck>) => void): string[] {
  const found: string[] = [];
  act(createPublishedCheck(text => found.push(text)));
  return found;
}

test('OpenAPI check: a deviating response is reported with endpoint, location and fault', () => {
  const runner = { id: 'one', name: 'mac', os: 'macOS', status: 'online', busy: false, labels: [{ name: 1 }] };
  const found = deviations(check => check.answer(LIST, { status: 200, body: { runners: [runner] } }));
  assert.deepEqual(found, [
    "GET /orgs/{org}/actions/runners 200: / must have required property 'total_count'",
    'GET /orgs/{org}/actions/runners 200: /runners/0/id must be integer',
    'GET /orgs/{org}/actions/runners 200: /runners/0/labels/0/name must be string',
  ]);
});

test('OpenAPI check: a deviating request is reported, for both body and query', () => {
  const found = deviations(check => {
    check.request(JIT, { ...REQUEST, url: new URL('http://x/'), body: { name: 'a', labels: [], runner_group_id: 1 } });
    check.request(LIST, { ...REQUEST, url: new URL('http://x/?per_page=many&colour=red&page=2'), body: {} });
  });
  assert.deepEqual(found, [
    'POST /orgs/{org}/actions/runners/generate-jitconfig request: /labels must NOT have fewer than 1 items',
    'GET /orgs/{org}/actions/runners ?per_page: /value must be integer',
    'GET /orgs/{org}/actions/runners ?colour: the description has no such parameter',
  ]);
});

test('OpenAPI check: undescribed statuses and unknown events are reported', () => {
  const found = deviations(check => {
    check.answer(LIST, { status: 206, body: {} });
    check.webhook('workflow-job-forgotten', {});
  });
  assert.deepEqual(found, [
    'GET /orgs/{org}/actions/runners 206: the description has no such status',
    'webhook workflow-job-forgotten: not in the published description',
  ]);
});

test('OpenAPI check: every endpoint is in the published description unless it is newer or beside it', () => {
  const found = deviations(check => {
    for (const each of restRoutes.filter(({ beside, undescribed }) => !beside && !undescribed))
      check.answer(each, { status: 500 });
  });
  assert.deepEqual(found, []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { installationClient } from '../testing/clients.ts';
import { exampleGithub } from '../testing/example-github.ts';

const JIT = { org: 'acme', runner_group_id: 1, labels: ['macos'] };
const detail = /generate-jitconfig$/;

test('REST faults: a request dropped before it is read changes nothing', async t => {
  const { github, faults } = await exampleGithub(t);
  const { actions } = installationClient(github).rest;
  faults.add({ detail, times: 1, fault: { type: 'drop', when: 'before' } });
  await assert.rejects(actions.generateRunnerJitconfigForOrg({ ...JIT, name: 'a' }), { status: 500 });
  assert.equal(github.state.runners.all.length, 0);
});

test('REST faults: a lost response leaves a runner, and the retry with its name gets 409', async t => {
  const { github, faults } = await exampleGithub(t);
  const { actions } = installationClient(github).rest;
  faults.add({ detail, times: 1, fault: { type: 'drop', when: 'after' } });
  await assert.rejects(actions.generateRunnerJitconfigForOrg({ ...JIT, name: 'a' }), { status: 500 });
  await assert.rejects(actions.generateRunnerJitconfigForOrg({ ...JIT, name: 'a' }), { status: 409 });
});

test('REST faults: an unmodified Octokit treats a truncated response as success without data', async t => {
  const { github, faults } = await exampleGithub(t);
  const { actions } = installationClient(github).rest;
  faults.add({ detail, times: 1, fault: { type: 'drop', when: 'during' } });
  const { status, data } = await actions.generateRunnerJitconfigForOrg({ ...JIT, name: 'a' });
  assert.equal(status, 201);
  assert.equal(data.encoded_jit_config, undefined);
  assert.equal(github.state.runners.all.length, 1);
});

test('REST faults: a failure has its status, message and Retry-After', async t => {
  const { github, faults } = await exampleGithub(t);
  const fault = { type: 'fail', code: 503, message: 'Service Unavailable', retryAfter: seconds(7) } as const;
  faults.add({ place: 'github', detail: 'GET /orgs/acme/actions/runners', fault });
  const response = await fetch(`${github.url}/api/v3/orgs/acme/actions/runners`);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get('retry-after'), '7');
  assert.deepEqual(await response.json(), {
    message: 'Service Unavailable',
    documentation_url: 'https://docs.github.com/rest',
    status: '503',
  });
});

test('REST faults: a delay waits for the simulated clock', async t => {
  const { github, faults, clock } = await exampleGithub(t);
  faults.add({ detail: 'GET /rate_limit', fault: { type: 'delay', by: seconds(30) } });
  const asked = fetch(`${github.url}/rate_limit`);
  await eventually(() => clock.pending > 0);
  await clock.advance(seconds(30));
  assert.equal((await asked).status, 200);
});

test('REST faults: a hanging request stays open until the client gives up', async t => {
  const { github, faults, journal } = await exampleGithub(t);
  faults.add({ detail: 'GET /rate_limit', fault: { type: 'hang' } });
  const patience = new AbortController();
  const asked = fetch(`${github.url}/rate_limit`, { signal: patience.signal });
  await eventually(() => journal.entries.some(entry => entry.what === 'fault hang'));
  patience.abort();
  await assert.rejects(asked, { name: 'AbortError' });
});

test('REST: a body that is not JSON is rejected', async t => {
  const { github } = await exampleGithub(t);
  const client = installationClient(github);
  const { token } = (await client.auth({ type: 'installation' })) as { token: string };
  const response = await fetch(`${github.url}/orgs/acme/actions/runners/generate-jitconfig`, {
    method: 'POST',
    headers: { authorization: `token ${token}` },
    body: '{"name":',
  });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /Problems parsing JSON/);
});

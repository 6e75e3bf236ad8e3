import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { installationClient } from '../testing/clients.ts';
import { exampleGithub } from '../testing/example-github.ts';

test('an unmodified Octokit waits for a secondary rate limit and then succeeds', async t => {
  const { github, journal } = await exampleGithub(t);
  const { actions } = installationClient(github, { patient: true }).rest;
  await actions.listSelfHostedRunnersForOrg({ org: 'acme' });
  github.state.limits.throttle({ status: 429, retryAfter: seconds(1) });
  const began = performance.now();
  await actions.listSelfHostedRunnersForOrg({ org: 'acme' });
  assert.ok(performance.now() - began > 900, 'it came back too early');
  const seen = journal.entries.filter(entry => entry.what === 'request').map(entry => entry.detail.split(' ').at(-1));
  assert.deepEqual(seen, ['201', '200', '429', '200']);
});

test('an unmodified Octokit retries a request after a 502', async t => {
  const { github, faults } = await exampleGithub(t);
  const { actions } = installationClient(github, { patient: true }).rest;
  faults.add({ detail: /GET .*runners$/, times: 1, fault: { type: 'fail', code: 502, message: 'Server Error' } });
  const { status } = await actions.listSelfHostedRunnersForOrg({ org: 'acme' });
  assert.equal(status, 200);
});

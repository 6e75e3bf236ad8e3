import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { installationClient } from '../testing/clients.ts';
import { exampleGithub } from '../testing/example-github.ts';

const org = { org: 'acme' };

test('rate limits: every response has the current limit, and reading it costs nothing', async t => {
  const { github } = await exampleGithub(t, { checkOpenApi: true });
  const { actions, rateLimit } = installationClient(github).rest;
  const first = await actions.listSelfHostedRunnersForOrg(org);
  assert.equal(first.headers['x-ratelimit-limit'], '5000');
  assert.equal(first.headers['x-ratelimit-remaining'], '4999');
  assert.match(String(first.headers['x-github-request-id']), /^[0-9A-F]{4}:/);
  const { data } = await rateLimit.get();
  assert.equal(data.resources.core.remaining, 4_999);
  assert.deepEqual(github.deviations, []);
});

test('rate limits: requests above the limit are rejected until the hour ends', async t => {
  const { github, clock } = await exampleGithub(t, { behaviour: { requestsPerHour: 1 } });
  const { actions } = installationClient(github).rest;
  await actions.listSelfHostedRunnersForOrg(org);
  await assert.rejects(actions.listSelfHostedRunnersForOrg(org), (error: Error & { response?: unknown }) => {
    const { headers } = error.response as { headers: Record<string, string> };
    assert.equal(headers['x-ratelimit-remaining'], '0');
    assert.equal(Number(headers['x-ratelimit-reset']), Math.ceil((clock.now() + minutes(60)) / 1_000));
    assert.match(error.message, /^API rate limit exceeded for installation ID 4242/);
    return true;
  });
  await clock.advance(minutes(60));
  github.state.limits.setLimit(5_000);
});

test('rate limits: a secondary limit returns Retry-After although the primary limit is not used up', async t => {
  const { github } = await exampleGithub(t);
  const { actions } = installationClient(github).rest;
  await actions.listSelfHostedRunnersForOrg(org);
  github.state.limits.throttle({ status: 429, retryAfter: seconds(30) });
  await assert.rejects(actions.listSelfHostedRunnersForOrg(org), (error: Error & { response?: unknown }) => {
    const { headers } = error.response as { headers: Record<string, string> };
    assert.equal(headers['retry-after'], '30');
    assert.match(error.message, /secondary rate limit/);
    return true;
  });
  await actions.listSelfHostedRunnersForOrg(org);
});

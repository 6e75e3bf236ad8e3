import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { installationClient } from '../testing/clients.ts';
import { type ExampleGithub, exampleGithub } from '../testing/example-github.ts';
import { readJitConfig } from './jit-config.ts';

type Door = (method: string, path: string, body?: unknown) => Promise<Response>;

/** Acts as a process in a guest, with only its JIT configuration. */
async function runnerBehindDoor(t: TestContext): Promise<ExampleGithub & { readonly door: Door }> {
  const forge = await exampleGithub(t);
  const { data } = await installationClient(forge.github).rest.actions.generateRunnerJitconfigForOrg({
    org: 'acme',
    name: 'guest',
    runner_group_id: 1,
    labels: ['macos'],
  });
  const config = readJitConfig(data.encoded_jit_config);
  assert.ok(config);
  const door: Door = (method, path, body) =>
    fetch(config.serverUrl + path, {
      method,
      headers: { authorization: `Bearer ${config.clientId}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { ...forge, door };
}

const JOB = { repository: 'acme/app', labels: ['macos'], takes: seconds(90) };

test('runner protocol: a process authenticates with its JIT configuration, takes a job and finishes it', async t => {
  const { github, door } = await runnerBehindDoor(t);
  assert.equal((await door('POST', 'session', { os: 'macOS', version: '2.331.0' })).status, 201);
  assert.equal((await door('POST', 'session')).status, 409);
  const asked = door('GET', 'job');
  const [runner] = github.state.runners.all;
  assert.deepEqual([runner?.online, runner?.version], [true, '2.331.0']);
  const job = github.queueJob(JOB);
  const given = (await (await asked).json()) as Record<string, unknown>;
  assert.deepEqual([given['id'], given['takes_milliseconds']], [job.id, 90_000]);
  assert.equal((await door('POST', 'finish', { conclusion: 'perhaps' })).status, 422);
  assert.equal((await door('POST', 'finish', { conclusion: 'success' })).status, 204);
  assert.equal(job.conclusion, 'success');
  assert.equal((await door('GET', 'job')).status, 401);
});

test('runner protocol: a poll for a job stays open for 50 seconds', async t => {
  const { door, clock } = await runnerBehindDoor(t);
  await door('POST', 'session');
  const before = clock.pending;
  const asked = door('GET', 'job');
  await eventually(() => clock.pending > before);
  await clock.advance(seconds(50));
  assert.equal((await asked).status, 204);
});

test('runner protocol: a silent process is offline after a minute, and its job fails when the lease expires', async t => {
  const { github, door, clock } = await runnerBehindDoor(t);
  await door('POST', 'session');
  const job = github.queueJob(JOB);
  await door('GET', 'job');
  await clock.advance(seconds(59));
  await door('POST', 'renew');
  await clock.advance(seconds(59));
  assert.equal(github.state.runners.all[0]?.online, true);
  await clock.advance(seconds(1));
  assert.equal(github.state.runners.all[0]?.online, false);
  await clock.advance(minutes(10));
  assert.equal(job.conclusion, 'failure');
});

test('runner protocol: a started job is not assigned or started again with the same configuration', async t => {
  const { github, door, clock } = await runnerBehindDoor(t);
  await door('POST', 'session');
  const job = github.queueJob(JOB);
  await door('GET', 'job');
  assert.equal((await door('GET', 'job')).status, 200, 'the answer was lost, and it asked again');
  assert.equal((await door('POST', 'start')).status, 204);
  await clock.advance(minutes(1));
  assert.equal((await door('POST', 'session')).status, 201, 'its VM was killed and restarted');
  const before = clock.pending;
  const asked = door('GET', 'job');
  await eventually(() => clock.pending > before);
  await clock.advance(seconds(50));
  assert.equal((await asked).status, 204);
  assert.equal((await door('POST', 'start')).status, 409);
  assert.match(github.doubles().join(), /^build \(\d+\) was started by guest \(session 1\), guest \(session 2\)$/);
  await clock.advance(minutes(10));
  assert.equal(await job.ended, 'failure');
});

test('runner protocol: a process learns of cancellation and release at once while its job runs', async t => {
  const { github, door } = await runnerBehindDoor(t);
  await door('POST', 'session');
  assert.equal((await door('GET', 'news')).status, 409, 'there is no job yet');
  const job = github.queueJob({ ...JOB, held: true });
  await door('GET', 'job');
  const first = door('GET', 'news');
  github.releaseJob(job);
  assert.equal(((await (await first).json()) as Record<string, unknown>)['released'], true);
  const second = door('GET', 'news?released=true');
  github.cancelJob(job);
  assert.equal(((await (await second).json()) as Record<string, unknown>)['cancelled'], true);
  await door('POST', 'log', { text: 'one\n' });
  await door('POST', 'log', { text: 'two\n' });
  assert.equal(job.log, 'one\ntwo\n');
});

test('runner protocol: a deleted runner and a second session get different errors', async t => {
  const { github, door } = await runnerBehindDoor(t);
  assert.equal(github.deleteRunner('guest'), true);
  assert.equal((await door('POST', 'session')).status, 401);
  assert.equal(github.deleteRunner('guest'), false);
});

test('runner protocol: closing the session makes the runner offline at once', async t => {
  const { github, door } = await runnerBehindDoor(t);
  await door('POST', 'session');
  assert.equal((await door('DELETE', 'session')).status, 204);
  assert.equal(github.state.runners.all[0]?.online, false);
});

test('runner protocol: config.sh of a real process registers here, and gets its error messages', async t => {
  const { github } = await runnerBehindDoor(t);
  const { data } = await installationClient(github).rest.actions.createRegistrationTokenForOrg({ org: 'acme' });
  const register = (token: string): Promise<Response> =>
    fetch(`${github.url}/_world/runner/register`, {
      method: 'POST',
      body: JSON.stringify({ url: 'https://github.com/acme', token, name: 'builder' }),
    });
  assert.equal((await register(data.token)).status, 201);
  const refused = await register('made-up');
  assert.equal(refused.status, 404);
  assert.match(await refused.text(), /Http response code: NotFound/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appClient, installationClient } from '../../testing/clients.ts';
import { appPem, exampleGithub } from '../../testing/example-github.ts';

const GROUP = 1;

test('auth: an unmodified Octokit authenticates as the App with a PKCS#1 and a PKCS#8 key', async t => {
  const { github } = await exampleGithub(t, { checkOpenApi: true });
  for (const type of ['pkcs1', 'pkcs8'] as const) {
    const { data } = await appClient(github, { privateKey: appPem(type) }).rest.apps.getAuthenticated();
    assert.equal(data?.id, 42);
  }
  const { data } = await appClient(github).rest.apps.getOrgInstallation({ org: 'ACME' });
  assert.equal(data.id, 4_242);
  assert.deepEqual(github.deviations, []);
});

test('runners: an installation mints tokens and JIT configurations, and lists and removes runners', async t => {
  const { github, journal } = await exampleGithub(t, { checkOpenApi: true });
  const { actions } = installationClient(github).rest;
  const registration = await actions.createRegistrationTokenForOrg({ org: 'acme' });
  assert.equal(registration.status, 201);
  assert.equal(registration.headers['x-ratelimit-resource'], 'actions_runner_registration');
  await actions.createRemoveTokenForOrg({ org: 'acme' });
  const made = await actions.generateRunnerJitconfigForOrg({
    org: 'acme',
    name: 'pod-1',
    runner_group_id: GROUP,
    labels: ['self-hosted', 'macos-26'],
    work_folder: '/Users/runner/work',
  });
  assert.deepEqual([made.status, made.data.runner.status, made.data.runner.os], [201, 'offline', 'unknown']);
  const listed = await actions.listSelfHostedRunnersForOrg({ org: 'acme', name: 'pod-1' });
  assert.equal(listed.data.total_count, 1);
  const shown = await actions.getSelfHostedRunnerForOrg({ org: 'acme', runner_id: made.data.runner.id });
  assert.deepEqual(
    shown.data.labels.map(label => `${label.name} ${label.type}`),
    ['self-hosted read-only', 'macos-26 custom'],
  );
  await actions.deleteSelfHostedRunnerFromOrg({ org: 'acme', runner_id: made.data.runner.id });
  await assert.rejects(actions.getSelfHostedRunnerForOrg({ org: 'acme', runner_id: made.data.runner.id }), {
    status: 404,
  });
  const groups = await actions.listSelfHostedRunnersForOrg({ org: 'acme' });
  assert.equal(groups.data.total_count, 0);
  assert.deepEqual(github.deviations, []);
  assert.deepEqual(journal.gaps, []);
});

test('runners: a list is paginated with links', async t => {
  const { github } = await exampleGithub(t, { checkOpenApi: true });
  const client = installationClient(github);
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  for (let number = 0; number < 130; number++) {
    github.state.runners.add({ scope, name: `mac-${number}`, groupId: 1, labels: ['a'], ephemeral: true });
  }
  const all = await client.paginate(client.rest.actions.listSelfHostedRunnersForOrg, { org: 'acme', per_page: 50 });
  assert.equal(all.length, 130);
  const middle = await client.rest.actions.listSelfHostedRunnersForOrg({ org: 'acme', per_page: 50, page: 2 });
  assert.deepEqual(
    [...(middle.headers.link ?? '').matchAll(/rel="(\w+)"/g)].map(match => match[1]),
    ['prev', 'next', 'last', 'first'],
  );
  assert.deepEqual(github.deviations, []);
});

test('runners: a JIT configuration is rejected for a taken name, an unknown group or a missing field', async t => {
  const { github } = await exampleGithub(t);
  const { actions } = installationClient(github).rest;
  const requested = { org: 'acme', name: 'pod-1', runner_group_id: GROUP, labels: ['macos'] };
  await actions.generateRunnerJitconfigForOrg(requested);
  await assert.rejects(actions.generateRunnerJitconfigForOrg(requested), {
    status: 409,
    message: /^Already exists - A runner with the name pod-1 already exists\./,
  });
  await assert.rejects(actions.generateRunnerJitconfigForOrg({ ...requested, name: 'pod-2', runner_group_id: 99 }), {
    status: 404,
  });
  await assert.rejects(actions.generateRunnerJitconfigForOrg({ ...requested, name: 'pod-2', labels: [] }), {
    status: 422,
  });
  const { labels, ...unlabelled } = requested;
  await assert.rejects(actions.generateRunnerJitconfigForOrg({ ...unlabelled, name: 'pod-2' } as typeof requested), {
    status: 422,
    message: /"labels" wasn't supplied/,
  });
  assert.equal(labels.length, 1);
});

test('runners: a repository has its own runners, under the administration permission', async t => {
  const { github } = await exampleGithub(t, { checkOpenApi: true });
  const { actions } = installationClient(github).rest;
  const where = { owner: 'acme', repo: 'app' };
  await actions.createRegistrationTokenForRepo(where);
  const made = await actions.generateRunnerJitconfigForRepo({
    ...where,
    name: 'r1',
    runner_group_id: GROUP,
    labels: ['x'],
  });
  assert.equal(made.status, 201);
  assert.equal((await actions.listSelfHostedRunnersForRepo(where)).data.total_count, 1);
  assert.equal((await actions.listSelfHostedRunnersForOrg({ org: 'acme' })).data.total_count, 0);
  assert.deepEqual(github.deviations, []);
});

test('REST: an unmodelled endpoint gets GitHub’s 404 and is recorded as a gap', async t => {
  const { github, journal } = await exampleGithub(t);
  await assert.rejects(installationClient(github).request('GET /orgs/acme/teams'), { status: 404 });
  assert.deepEqual(
    journal.gaps.map(gap => gap.detail),
    ['GET /orgs/acme/teams'],
  );
});

test('REST: the deprecation of a runner version has its deadline, null for the newest, 404 for an unknown one', async t => {
  const { github } = await exampleGithub(t);
  const octokit = installationClient(github);
  const ask = async (scope: string, version: string): Promise<unknown> =>
    (await octokit.request(`GET /${scope}/actions/runners/deprecations/${version}`)).data;
  assert.deepEqual(await ask('orgs/acme', '2.336.0'), {
    runner_version: '2.336.0',
    runtime_deprecates_at: '2026-11-05T08:04:55Z',
  });
  assert.deepEqual(await ask('repos/acme/app', '2.338.0'), {
    runner_version: '2.338.0',
    runtime_deprecates_at: null,
  });
  await assert.rejects(ask('orgs/acme', '9.9.9'), { status: 404 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installationClient } from '../../testing/clients.ts';
import { exampleGithub } from '../../testing/example-github.ts';

const where = { owner: 'acme', repo: 'app' };

test('jobs: the jobs of a run are listed as published while queued, running and completed', async t => {
  const { github } = await exampleGithub(t, { checkOpenApi: true });
  const { actions } = installationClient(github).rest;
  const first = github.queueJob({ repository: 'acme/app', labels: ['macos'], runId: 7 });
  const second = github.queueJob({ repository: 'acme/app', labels: ['macos'], runId: 7 });
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  for (const name of ['a', 'b']) {
    const runner = github.state.runners.add({ scope, name, groupId: 1, labels: ['macos'], ephemeral: true });
    github.connect(runner.clientId).takeJob();
  }
  github.cancelJob(second);
  github.state.jobs.finish(first, 'timed_out');
  const waiting = github.queueJob({ repository: 'acme/app', labels: ['macos'], runId: 7 });
  const { data } = await actions.listJobsForWorkflowRun({ ...where, run_id: 7 });
  assert.deepEqual(
    data.jobs.map(job => `${job.status} ${job.conclusion} ${job.runner_name}`),
    ['completed timed_out a', 'in_progress null b', 'queued null null'],
  );
  const shown = await actions.getJobForWorkflowRun({ ...where, job_id: waiting.id });
  assert.equal(shown.data.started_at, shown.data.created_at);
  await assert.rejects(actions.getJobForWorkflowRun({ ...where, repo: 'site', job_id: first.id }), { status: 404 });
  assert.deepEqual(github.deviations, []);
});

test('jobs: a run can be cancelled only once', async t => {
  const { github } = await exampleGithub(t, { checkOpenApi: true });
  const { actions } = installationClient(github).rest;
  const job = github.queueJob({ repository: 'acme/app', labels: ['macos'] });
  assert.equal((await actions.cancelWorkflowRun({ ...where, run_id: job.runId })).status, 202);
  assert.equal(job.conclusion, 'cancelled');
  await assert.rejects(actions.cancelWorkflowRun({ ...where, run_id: job.runId }), { status: 409 });
  assert.deepEqual(github.deviations, []);
});

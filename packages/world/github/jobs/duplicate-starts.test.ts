import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleGithub } from '../testing/example-github.ts';

const JOB = { repository: 'acme/app', labels: [] };
const RUNNER = { id: 1, name: 'pod', ephemeral: true, session: 1 };

test('jobs: duplicateStarts names jobs started by two processes and single-job runners that started two', async t => {
  const { github } = await exampleGithub(t);
  const { jobs } = github.state;
  const [first, second] = [github.queueJob({ ...JOB, name: 'first' }), github.queueJob({ ...JOB, name: 'second' })];
  assert.equal(jobs.begin(first, RUNNER), true);
  assert.equal(jobs.begin(first, RUNNER), true, 'the answer was lost, and it asked again');
  assert.deepEqual(github.doubles(), []);
  assert.equal(jobs.begin(first, { ...RUNNER, session: 2 }), false);
  assert.equal(jobs.begin(second, RUNNER), true);
  assert.deepEqual(github.doubles(), [
    `first (${first.id}) was started by pod (session 1), pod (session 2)`,
    `pod (1) started first (${first.id}), second (${second.id})`,
  ]);
});

test('jobs: a persistent runner may start one job after the other', async t => {
  const { github } = await exampleGithub(t);
  const builder = { ...RUNNER, ephemeral: false };
  for (const name of ['first', 'second']) github.state.jobs.begin(github.queueJob({ ...JOB, name }), builder);
  assert.deepEqual(github.doubles(), []);
});

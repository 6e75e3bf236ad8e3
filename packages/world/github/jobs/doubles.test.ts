import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleGithub } from '../testing/example-github.ts';

const JOB = { repository: 'acme/app', labels: [] };
const RUNNER = { id: 1, name: 'pod', ephemeral: true, session: 1 };

test('a job begun by two processes, and a runner for one job that began two, are told by name', async t => {
  const { github } = await exampleGithub(t);
  const { jobs } = github.state;
  const [first, second] = [github.queueJob({ ...JOB, name: 'first' }), github.queueJob({ ...JOB, name: 'second' })];
  assert.equal(jobs.begin(first, RUNNER), true);
  assert.equal(jobs.begin(first, RUNNER), true, 'the answer was lost, and it asked again');
  assert.deepEqual(github.doubles(), []);
  assert.equal(jobs.begin(first, { ...RUNNER, session: 2 }), false);
  assert.equal(jobs.begin(second, RUNNER), true);
  assert.deepEqual(github.doubles(), [
    `first (${first.id}) was begun by pod (session 1), pod (session 2)`,
    `pod (1) began first (${first.id}), second (${second.id})`,
  ]);
});

test('a runner that stays may begin one job after the other', async t => {
  const { github } = await exampleGithub(t);
  const builder = { ...RUNNER, ephemeral: false };
  for (const name of ['first', 'second']) github.state.jobs.begin(github.queueJob({ ...JOB, name }), builder);
  assert.deepEqual(github.doubles(), []);
});

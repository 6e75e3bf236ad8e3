import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { workOnJobs } from '../../runner-forge.ts';
import { type ExampleGithub, exampleGithub } from '../testing/example-github.ts';
import type { Session } from './session.ts';

const JOB = { repository: 'acme/app', labels: ['macos'], takes: seconds(90) };

function connect({ github }: ExampleGithub, ephemeral: boolean): Session {
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  return github.connect(
    github.state.runners.add({ scope, name: 'mac', groupId: 1, labels: ['macos'], ephemeral }).clientId,
  );
}

test('run.sh: an ephemeral runner works on one job for its duration, and ends', async t => {
  const forge = await exampleGithub(t);
  const done = workOnJobs(connect(forge, true), { clock: forge.clock });
  const job = forge.github.queueJob({ ...JOB, ends: 'failure' });
  const next = forge.github.queueJob(JOB);
  await forge.clock.advance(seconds(89));
  assert.equal(job.status, 'in_progress');
  await forge.clock.advance(seconds(1));
  assert.equal(job.conclusion, 'failure');
  assert.deepEqual(await done, [job]);
  assert.equal(next.status, 'queued');
});

test('run.sh: a persistent runner goes on until it is stopped, which cancels its job', async t => {
  const forge = await exampleGithub(t);
  const stop = new AbortController();
  const session = connect(forge, false);
  const done = workOnJobs(session, { clock: forge.clock, signal: stop.signal });
  const [first, second] = [forge.github.queueJob(JOB), forge.github.queueJob(JOB)];
  await forge.clock.advance(minutes(2));
  assert.deepEqual([first.conclusion, second.status], ['success', 'in_progress']);
  stop.abort();
  assert.deepEqual(await done, [first]);
  assert.deepEqual([second.conclusion, session.runner.online], ['cancelled', false]);
});

test('run.sh: a cancelled job ends early', async t => {
  const forge = await exampleGithub(t);
  const done = workOnJobs(connect(forge, true), { clock: forge.clock });
  const job = forge.github.queueJob(JOB);
  await forge.clock.settle();
  forge.github.cancelJob(job);
  assert.deepEqual(await done, [job]);
  assert.equal(job.conclusion, 'cancelled');
});

test('run.sh: a held job runs until it is released; a script needs a shell', async t => {
  const forge = await exampleGithub(t);
  const ran: string[] = [];
  const lines: string[] = [];
  const done = workOnJobs(connect(forge, false), {
    clock: forge.clock,
    run: async (_job, script) => ran.push(script) - 1,
    say: line => lines.push(line),
  });
  const job = forge.github.queueJob({ ...JOB, held: true, script: 'make' });
  await forge.clock.advance(minutes(60));
  assert.deepEqual([job.status, ran], ['in_progress', ['make']]);
  forge.github.releaseJob(job);
  assert.equal(await job.ended, 'success');
  const failing = forge.github.queueJob({ ...JOB, script: 'make test' });
  assert.equal(await failing.ended, 'failure');
  assert.match(lines.at(-1) ?? '', /^\d{4}-\d\d-\d\d [\d:]+Z: Job build completed with result: Failed$/);
  forge.github.deleteRunner('mac');
  assert.deepEqual(await done, [job, failing]);
  assert.deepEqual(forge.github.doubles(), []);
});

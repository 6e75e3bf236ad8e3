import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { exampleGithub } from '../testing/example-github.ts';
import { listen } from '../testing/scale-set-client.ts';

const JOB = { repository: 'acme/app', labels: ['MACS'] };

test('scale sets: a job is assigned, started and completed, each reported with statistics', async t => {
  const { github } = await exampleGithub(t);
  const { client, setId, poll, statistics } = await listen(github);
  const polled = poll();
  const job = github.queueJob(JOB);
  // Whether or not the listener has already reported its capacity, the poll returns the job.
  assert.deepEqual(await polled, ['JobAssigned']);
  assert.deepEqual([statistics()['totalAssignedJobs'], statistics()['totalRunningJobs']], [1, 0]);
  await client.call('POST', `runtime/runnerscalesets/${setId}/generatejitconfig`, { name: 'pod-1' });
  const session = github.connect(github.state.runners.all[0]?.clientId ?? '');
  assert.equal(session.takeJob(), job);
  assert.deepEqual(await poll(), ['JobStarted']);
  assert.equal(statistics()['totalBusyRunners'], 1);
  session.finishJob('success');
  assert.deepEqual(await poll(), ['JobCompleted succeeded']);
  assert.deepEqual([statistics()['totalAssignedJobs'], statistics()['totalRegisteredRunners']], [0, 0]);
});

test('scale sets: other runners take none of a set’s jobs, and nothing is assigned beyond the capacity', async t => {
  const { github } = await exampleGithub(t);
  const { poll } = await listen(github);
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  for (let count = 0; count < 3; count++) github.queueJob(JOB);
  const polled = await poll({ capacity: 2 });
  assert.deepEqual(polled, ['JobAssigned', 'JobAssigned']);
  const plain = github.state.runners.add({ scope, name: 'plain', groupId: 1, labels: ['macs'], ephemeral: true });
  assert.equal(github.connect(plain.clientId).takeJob()?.id, github.state.jobs.all[2]?.id);
});

test('scale sets: a message is redelivered until it is acknowledged, and has at most fifty entries', async t => {
  const { github } = await exampleGithub(t);
  const { poll } = await listen(github);
  for (let count = 0; count < 60; count++) github.queueJob(JOB);
  assert.equal((await poll({ capacity: 100, keep: true }))?.length, 50);
  assert.equal((await poll({ capacity: 100 }))?.length, 50);
  assert.equal((await poll({ capacity: 100 }))?.length, 10);
});

test('scale sets: a poll without messages ends with 202 after 50 seconds', async t => {
  const { github, clock } = await exampleGithub(t);
  const { poll } = await listen(github);
  const before = clock.pending;
  const polled = poll();
  await eventually(() => clock.pending > before);
  await clock.advance(seconds(50));
  assert.equal(await polled, undefined);
});

test('scale sets: a job that nobody starts is withdrawn as canceled and reassigned, three times', async t => {
  const { github, clock } = await exampleGithub(t, { scaleSets: { assignmentLapse: minutes(1) } });
  const { poll } = await listen(github);
  const job = github.queueJob(JOB);
  assert.deepEqual(await poll(), ['JobAssigned']);
  for (const patience of [1, 2, 3]) {
    await clock.advance(minutes(patience));
    assert.deepEqual(await poll(), ['JobCompleted canceled', 'JobAssigned']);
  }
  await clock.advance(minutes(4));
  assert.deepEqual(await poll(), ['JobCompleted canceled']);
  assert.equal(job.status, 'queued');
});

test('scale sets: in the acquire flow only acquired jobs are assigned', async t => {
  const { github } = await exampleGithub(t, { scaleSets: { flow: 'acquire' } });
  const { client, setId, session, poll } = await listen(github);
  github.queueJob(JOB);
  github.queueJob(JOB);
  assert.deepEqual(await poll(), ['JobAvailable', 'JobAvailable']);
  const url = new URL(String(session['messageQueueUrl']));
  url.pathname = url.pathname.replace('message', `_apis/runtime/runnerscalesets/${setId}/acquirejobs`);
  const token = String(session['messageQueueAccessToken']);
  const acquired = await client.queue('POST', url.href, { token, body: [1_001, 9_999] });
  assert.deepEqual(acquired.json['value'], [1_001]);
  assert.deepEqual(await poll(), ['JobAssigned']);
});

test('scale sets: the quirks of the real service can be enabled', async t => {
  const { github } = await exampleGithub(t);
  const { quirks } = github.scaleSets.behaviour;
  const { client, session } = await listen(github);
  const url = String(session['messageQueueUrl']);
  const token = String(session['messageQueueAccessToken']);
  github.queueJob(JOB);
  for (const oddity of ['byte order mark', 'no statistics', 'unknown entry'] as const) quirks.add(oddity);
  const strange = await client.queue('GET', url, { token });
  assert.ok(strange.text.startsWith('\ufeff'));
  assert.equal(strange.json['statistics'], undefined);
  assert.match(String(strange.json['body']), /JobPondered/);
  quirks.clear();
  quirks.add('empty message');
  const empty = await client.queue('GET', url, { token });
  assert.deepEqual([empty.status, empty.text], [200, '']);
});

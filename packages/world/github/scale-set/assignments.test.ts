import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { exampleGithub } from '../testing/example-github.ts';
import { listen } from '../testing/scale-set-client.ts';

const JOB = { repository: 'acme/app', labels: ['MACS'] };

test('a job is assigned, started on a runner of the set, and completed; each is told with statistics', async t => {
  const { github } = await exampleGithub(t);
  const { client, setId, poll, statistics } = await listen(github);
  const told = poll();
  const job = github.queueJob(JOB);
  // The listener has not said yet what it can take, or it has: either way the poll brings it.
  assert.deepEqual(await told, ['JobAssigned']);
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

test('a runner of no set leaves the jobs of a set alone, and nothing is assigned beyond the capacity', async t => {
  const { github } = await exampleGithub(t);
  const { poll } = await listen(github);
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  for (let count = 0; count < 3; count++) github.queueJob(JOB);
  const told = await poll({ capacity: 2 });
  assert.deepEqual(told, ['JobAssigned', 'JobAssigned']);
  const plain = github.state.runners.add({ scope, name: 'plain', groupId: 1, labels: ['macs'], ephemeral: true });
  assert.equal(github.connect(plain.clientId).takeJob()?.id, github.state.jobs.all[2]?.id);
});

test('a message comes again until it is acknowledged, and holds fifty entries at most', async t => {
  const { github } = await exampleGithub(t);
  const { poll } = await listen(github);
  for (let count = 0; count < 60; count++) github.queueJob(JOB);
  assert.equal((await poll({ capacity: 100, keep: true }))?.length, 50);
  assert.equal((await poll({ capacity: 100 }))?.length, 50);
  assert.equal((await poll({ capacity: 100 }))?.length, 10);
});

test('without news a poll ends with 202 after 50 seconds', async t => {
  const { github, clock } = await exampleGithub(t);
  const { poll } = await listen(github);
  const before = clock.pending;
  const told = poll();
  await eventually(() => clock.pending > before);
  await clock.advance(seconds(50));
  assert.equal(await told, undefined);
});

test('a job nobody starts is taken back as canceled and assigned again, three times', async t => {
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

test('where jobs are offered, only those that are acquired are assigned', async t => {
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

test('the quirks of the field can be had at will', async t => {
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

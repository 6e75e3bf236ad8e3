import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { exampleGithub } from '../testing/example-github.ts';
import { listen, scaleSetClient } from '../testing/scale-set-client.ts';

const SETS = 'runtime/runnerscalesets';

test('scale sets: created once per group, found by name, changed and removed; the name is the label', async t => {
  const { github, journal } = await exampleGithub(t);
  const { call } = await scaleSetClient(github);
  const group = await call('GET', 'runtime/runnergroups/?groupName=macs');
  assert.deepEqual(group.json['value'], [{ id: 2, name: 'macs', size: 0, isDefaultGroup: false }]);
  const made = await call('POST', SETS, { name: 'fleet', runnerGroupId: 2, labels: [] });
  assert.equal(made.status, 200);
  assert.deepEqual(made.json['labels'], [{ type: 'System', name: 'fleet' }]);
  const again = await call('POST', SETS, { name: 'fleet', runnerGroupId: 2 });
  assert.equal(again.status, 409);
  const found = await call('GET', `${SETS}?runnerGroupId=2&name=fleet`);
  assert.equal(found.json['count'], 1);
  const id = Number(made.json['id']);
  const changed = await call('PATCH', `${SETS}/${id}`, { name: 'renamed', RunnerSetting: { disableUpdate: true } });
  assert.deepEqual([changed.json['name'], changed.json['RunnerSetting']], ['renamed', { disableUpdate: true }]);
  assert.equal((await call('DELETE', `${SETS}/${id}`)).status, 204);
  const gone = await call('GET', `${SETS}/${id}`);
  assert.equal(gone.status, 404);
  assert.match(String(gone.json['typeName']), /RunnerScaleSetNotFoundException/);
  assert.deepEqual(journal.gaps, []);
});

test('scale sets: a second session is rejected until that of a vanished listener expires', async t => {
  const { github, clock } = await exampleGithub(t);
  const { client, setId, session } = await listen(github);
  const open = (): ReturnType<typeof client.call> =>
    client.call('POST', `${SETS}/${setId}/sessions`, { ownerName: 'listener-2' });
  const conflict = await open();
  assert.equal(conflict.status, 409);
  assert.match(String(conflict.json['typeName']), /RunnerScaleSetSessionConflictException/);
  assert.match(String(conflict.json['message']), /already has an active session for owner listener-1/);
  await clock.advance(minutes(5));
  assert.equal((await open()).status, 200);
  const refreshed = await client.call('PATCH', `${SETS}/${setId}/sessions/${String(session['sessionId'])}`);
  assert.equal(refreshed.status, 404);
});

test('scale sets: a queue token expires after 50 minutes, and renewing the session gives another', async t => {
  const { github, clock } = await exampleGithub(t, { scaleSets: { sessionLapse: minutes(600) } });
  const { client, setId, session } = await listen(github);
  const url = String(session['messageQueueUrl']);
  await clock.advance(minutes(50));
  const token = String(session['messageQueueAccessToken']);
  assert.equal((await client.queue('GET', url, { token })).status, 401);
  const path = `${SETS}/${setId}/sessions/${String(session['sessionId'])}`;
  const renewed = await client.call('PATCH', path);
  github.queueJob({ repository: 'acme/app', labels: ['macs'] });
  const polled = await client.queue('GET', url, { token: String(renewed.json['messageQueueAccessToken']) });
  assert.equal(polled.status, 200);
  assert.equal((await client.call('DELETE', path)).status, 204);
});

test('scale sets: agents are found and removed; names are unique, and a busy agent stays', async t => {
  const { github } = await exampleGithub(t);
  const { client, setId, poll } = await listen(github);
  const make = (): ReturnType<typeof client.call> =>
    client.call('POST', `${SETS}/${setId}/generatejitconfig`, { name: 'pod-1', workFolder: '_work' });
  const made = await make();
  assert.equal(made.status, 200);
  const { id, runnerScaleSetId } = made.json['runner'] as { id: number; runnerScaleSetId: number };
  assert.equal(runnerScaleSetId, setId);
  assert.match(String((await make()).json['typeName']), /AgentExistsException/);
  const agents = 'distributedtask/pools/0/agents';
  assert.equal((await client.call('GET', `${agents}?agentName=pod-1`)).json['count'], 1);
  github.queueJob({ repository: 'acme/app', labels: ['macs'] });
  await poll();
  const session = github.connect(github.state.runners.all[0]?.clientId ?? '');
  session.takeJob();
  const busy = await client.call('DELETE', `${agents}/${id}`);
  assert.equal(busy.status, 400);
  assert.match(String(busy.json['typeName']), /JobStillRunningException/);
  session.finishJob('success');
  const gone = await client.call('GET', `${agents}/${id}`);
  assert.match(`${gone.status} ${String(gone.json['typeName'])}`, /^404 .*AgentNotFoundException/);
});

test('scale sets: unauthenticated calls are rejected', async t => {
  const { github } = await exampleGithub(t);
  const response = await fetch(`${github.url}/_world/actions/1000/_apis/${SETS}`);
  assert.equal(response.status, 401);
});

test('scale sets: a session lives as long as its listener polls', async t => {
  const { github, clock } = await exampleGithub(t, { scaleSets: { sessionLapse: seconds(20) } });
  const { client, setId, poll } = await listen(github);
  const before = clock.pending;
  const polled = poll();
  await eventually(() => clock.pending > before);
  await clock.advance(seconds(49));
  const conflict = await client.call('POST', `${SETS}/${setId}/sessions`, { ownerName: 'listener-2' });
  assert.equal(conflict.status, 409);
  await clock.advance(seconds(1));
  assert.equal(await polled, undefined);
});

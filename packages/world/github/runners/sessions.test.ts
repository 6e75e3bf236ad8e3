import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import type { GithubBehaviour } from '../options.ts';
import { installationClient } from '../testing/clients.ts';
import { type ExampleGithub, exampleGithub } from '../testing/example-github.ts';
import type { Runner } from './runner.ts';
import type { NewRunner } from './runners.ts';
import { REGISTRATION_DELETED, SESSION_EXISTS } from './sessions.ts';

const JOB = { repository: 'acme/app', labels: ['self-hosted', 'macOS-26'] };
const DAY = minutes(24 * 60);

function addRunner({ github }: ExampleGithub, name: string, more: Partial<NewRunner> = {}): Runner {
  const scope = github.state.accounts.findScope('acme');
  assert.ok(scope);
  const labels = ['self-hosted', 'macos-26', 'xcode'];
  return github.state.runners.add({ scope, name, groupId: 1, labels, ephemeral: true, ...more });
}

const forgeWith = (t: TestContext, behaviour: Partial<GithubBehaviour> = {}): Promise<ExampleGithub> =>
  exampleGithub(t, { behaviour });
const names = ({ github }: ExampleGithub): string[] => github.state.runners.all.map(runner => runner.name);

test('sessions: a job goes to an idle runner with all its labels, and an ephemeral runner is gone afterwards', async t => {
  const forge = await forgeWith(t);
  const { github } = forge;
  const poor = github.connect(addRunner(forge, 'poor', { labels: ['self-hosted'] }).clientId);
  const rich = github.connect(addRunner(forge, 'rich').clientId);
  const unasked = poor.nextJob();
  const asked = rich.nextJob();
  const job = github.queueJob(JOB);
  assert.equal(await asked, job);
  assert.deepEqual([job.status, job.runner?.name, rich.runner.os], ['in_progress', 'rich', 'macOS']);
  rich.finishJob('success');
  assert.deepEqual([job.status, job.conclusion, rich.open], ['completed', 'success', false]);
  assert.deepEqual(names(forge), ['poor']);
  assert.throws(() => github.connect(rich.runner.clientId), { message: REGISTRATION_DELETED });
  poor.close();
  assert.equal(await unasked, undefined);
});

test('sessions: a job queued before any runner exists is taken by the first that polls; oldest job first', async t => {
  const forge = await forgeWith(t);
  const first = forge.github.queueJob({ ...JOB, name: 'first' });
  forge.github.queueJob({ ...JOB, name: 'second' });
  const session = forge.github.connect(addRunner(forge, 'mac').clientId);
  assert.equal(session.takeJob(), first);
  assert.equal(session.takeJob(), undefined, 'a busy runner gets no second job');
});

test('sessions: any idle runner may get a job, not only the one created for it', async t => {
  const forge = await forgeWith(t);
  const sessions = Array.from({ length: 8 }, (_, number) =>
    forge.github.connect(addRunner(forge, `pod-${number}`).clientId),
  );
  for (const session of sessions) void session.nextJob();
  const takers = sessions.map((_, number) => forge.github.queueJob({ ...JOB, name: `for pod-${number}` }).runner?.name);
  assert.notDeepEqual(
    takers,
    takers.toSorted((one = '', other = '') => one.localeCompare(other)),
  );
  assert.equal(new Set(takers).size, 8);
});

test('sessions: groups limited to repositories and repository runners take no other jobs', async t => {
  const forge = await forgeWith(t);
  const scope = forge.github.state.accounts.findScope('acme/app');
  assert.ok(scope);
  const grouped = forge.github.connect(addRunner(forge, 'grouped', { groupId: 2 }).clientId);
  const owned = forge.github.connect(addRunner(forge, 'owned', { scope }).clientId);
  const elsewhere = forge.github.queueJob({ ...JOB, repository: 'acme/site' });
  assert.deepEqual([grouped.takeJob(), owned.takeJob()], [undefined, undefined]);
  const here = forge.github.queueJob(JOB);
  assert.equal(owned.takeJob(), here);
  assert.equal(elsewhere.status, 'queued');
});

test('sessions: a killed VM’s runner is online for a minute and undeletable until the lease expires and its job fails', async t => {
  const forge = await forgeWith(t);
  const { github, clock } = forge;
  const { actions } = installationClient(github).rest;
  const session = github.connect(addRunner(forge, 'mac').clientId);
  const { runner } = session;
  const job = github.queueJob(JOB);
  session.takeJob();
  session.vanish();
  assert.deepEqual([runner.online, session.open], [true, false]);
  await clock.advance(minutes(1));
  const { data } = await actions.getSelfHostedRunnerForOrg({ org: 'acme', runner_id: runner.id });
  assert.deepEqual([data.status, data.busy], ['offline', true]);
  await assert.rejects(actions.deleteSelfHostedRunnerFromOrg({ org: 'acme', runner_id: runner.id }), {
    status: 422,
    message: /^Bad request - Runner mac is currently running a job and cannot be deleted\./,
  });
  assert.equal(job.status, 'in_progress');
  await clock.advance(minutes(9));
  assert.equal(job.conclusion, 'failure');
  assert.deepEqual(names(forge), []);
});

test('sessions: a second session of one runner is rejected until the first has expired', async t => {
  const forge = await forgeWith(t);
  const { clientId } = addRunner(forge, 'mac', { ephemeral: false });
  const first = forge.github.connect(clientId);
  assert.throws(() => forge.github.connect(clientId), { message: SESSION_EXISTS });
  first.vanish();
  assert.throws(() => forge.github.connect(clientId), { message: SESSION_EXISTS });
  await forge.clock.advance(minutes(1));
  assert.ok(forge.github.connect(clientId).open);
});

test('sessions: an ephemeral runner may remain after its job, busy and with its name taken', async t => {
  const forge = await forgeWith(t, { lingerAfterJob: seconds(20) });
  const { actions } = installationClient(forge.github).rest;
  const session = forge.github.connect(addRunner(forge, 'mac').clientId);
  forge.github.queueJob(JOB);
  session.takeJob();
  session.finishJob('success');
  const again = { org: 'acme', name: 'mac', runner_group_id: 1, labels: ['macos'] };
  await assert.rejects(actions.generateRunnerJitconfigForOrg(again), { status: 409 });
  await assert.rejects(actions.deleteSelfHostedRunnerFromOrg({ org: 'acme', runner_id: session.runner.id }), {
    status: 422,
  });
  await forge.clock.advance(seconds(20));
  await actions.generateRunnerJitconfigForOrg(again);
});

test('sessions: an offline ephemeral runner is removed after a day, others after fourteen', async t => {
  const forge = await forgeWith(t);
  const online = forge.github.connect(addRunner(forge, 'online', { ephemeral: false }).clientId);
  addRunner(forge, 'jit');
  addRunner(forge, 'builder', { ephemeral: false });
  await forge.clock.advance(DAY);
  assert.deepEqual(names(forge), ['online', 'builder']);
  await forge.clock.advance(minutes(13 * 24 * 60));
  assert.deepEqual(names(forge), ['online']);
  online.close();
  await forge.clock.advance(minutes(14 * 24 * 60));
  assert.deepEqual(names(forge), []);
});

test('sessions: a queued job is cancelled after a day; a cancelled running job ends when its runner reports it', async t => {
  const forge = await forgeWith(t);
  const { github, clock } = forge;
  const forgotten = github.queueJob({ ...JOB, labels: ['nowhere'] });
  const running = github.queueJob(JOB);
  const session = github.connect(addRunner(forge, 'mac').clientId);
  session.takeJob();
  github.cancelJob(running);
  assert.deepEqual([running.status, running.cancelled.aborted], ['in_progress', true]);
  session.finishJob('success');
  assert.equal(running.conclusion, 'cancelled');
  await clock.advance(DAY);
  assert.equal(forgotten.conclusion, 'cancelled');
});

test('sessions: a runner removed while it waits loses its session', async t => {
  const forge = await forgeWith(t);
  const session = forge.github.connect(addRunner(forge, 'mac').clientId);
  const asked = session.nextJob();
  forge.github.state.runners.remove(session.runner);
  assert.equal(await asked, undefined);
  assert.equal(session.open, false);
});

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import { findCondition } from '@minifleet/kube';
import { noHostNetwork } from '../packages/local-cluster/testing/host-network-support.ts';
import type { Samm } from './testing/fleet-in-sentences.ts';
import { FLEET, IMAGES, openRunnersBench, type RunnersBench } from './testing/runners-bench.ts';
import { imagesOf, type RunnersInSentences, runnersInSentences } from './testing/runners-in-sentences.ts';
import { everythingWritten, filesOnMacs, insideGuests, tracesOf } from './testing/runners-secrecy.ts';

const skip = noHostNetwork;

let bench: RunnersBench;
let runners: RunnersInSentences;

before(async () => {
  if (skip !== false) return;
  bench = await openRunnersBench({ macs: 2, fleets: { [FLEET]: 2 } });
  runners = runnersInSentences(bench);
});
// A test that failed does not hold up the others.
afterEach(() => runners?.releaseAll());
after(async () => {
  await bench?.stop();
  if (bench) assert.deepEqual(bench.world.deps.journal.gaps, [], 'nothing was relied on that the world does not model');
});

const scale = (replicas: number): Promise<string> => runners.ok('scale', 'rpool', FLEET, `--replicas=${replicas}`);
const shown = async (): Promise<string> => (await runners.ok('get', 'rpool', FLEET)).replaceAll(/ +/g, ' ');

test('a queued job is taken by a warm VM and done once; its Pod, Secret and registration go, its slot is filled, its end is told', {
  skip,
}, async t => {
  await bench.createPool(FLEET, 2);
  const warm = await runners.rests(2, seconds(120));
  const began = performance.now();
  const job = runners.queue({ name: 'build', script: 'sw_vers -productVersion; echo built' });
  assert.equal(await job.ended, 'success');
  t.diagnostic(`queued to done: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  const runner = job.runner?.name ?? '';
  const pod = warm.find(({ metadata }) => metadata.name === runner);
  assert.ok(pod, 'one that was warm has taken it');
  assert.equal(job.log, '26.3\nbuilt\n');
  assert.deepEqual(
    job.begun.map(({ name }) => name),
    [runner],
  );
  await runners.leaves(runner);
  const now = await runners.rests(2);
  assert.ok(!now.some(({ metadata }) => metadata.name === runner));
  const { outcome, reason, exitCode, host, image, log = '' } = (await runners.endOf(runner)) ?? {};
  assert.deepEqual(
    { outcome, reason, exitCode, host, image },
    { outcome: 'JobDone', reason: 'Completed', exitCode: 0, host: pod.spec?.nodeName, image: IMAGES[0] },
  );
  assert.match(log, /Running job: build\n.*Job build completed with result: Succeeded/);
  assert.deepEqual((await runners.pool()).status?.ended, { JobDone: 1 });
});

test('what a runner is started with is in its Secret and in its guest, and in no other object, log, argument list or environment', {
  skip,
}, async () => {
  const { runner, finish } = await runners.heldJob('secretive');
  const secrets = await runners.secrets();
  const traces = [...secrets.values()].flatMap(tracesOf);
  assert.equal(traces.length, 6, 'two runners are registered');
  const written = await everythingWritten(bench);
  for (const [place, text] of written) {
    assert.notEqual(text, '', `${place} can be read`);
    assert.deepEqual(
      traces.filter(trace => text.includes(trace)),
      [],
      place,
    );
  }
  assert.ok(written.get('objects other than Secrets')?.includes(runner));
  assert.ok(written.get('logs on the Macs')?.includes('Running job: secretive'));
  const secret = secrets.get(runner);
  assert.ok(secret);
  const [configuration = ''] = tracesOf(secret);
  assert.ok(insideGuests(bench).includes(configuration), 'this is how it would be seen');
  assert.notDeepEqual(filesOnMacs(bench, configuration), [], 'and this');
  await finish();
  await runners.leaves(runner);
  // A Pod that has ended goes at once when it is deleted; its agent may still be clearing up.
  await eventuallyHolds(() => assert.deepEqual(filesOnMacs(bench, configuration), []));
});

test('kubectl scale grows the pool; scaled down, a busy runner is let finish and the idle ones go', {
  skip,
}, async () => {
  await scale(3);
  await runners.rests(3);
  const { runner, pod, job, finish } = await runners.heldJob('long');
  assert.match(await shown(), /^NAME DESIRED IDLE BUSY PENDING READY WHY AGE\nrunners 3 2 1 0 True /);
  await scale(0);
  await runners.until('only the busy one is left', ({ replicas, terminating }) => replicas === 1 && terminating === 0);
  assert.match(await shown(), /\nrunners 0 0 1 0 True /);
  assert.deepEqual(
    (await runners.pods()).map(({ metadata }) => metadata.uid),
    [pod.metadata.uid],
  );
  assert.equal(job.status, 'in_progress');
  await finish();
  await runners.leaves(runner);
  await runners.rests(0);
  assert.equal((await runners.endOf(runner))?.outcome, 'JobDone');
  assert.deepEqual(bench.world.github.state.runners.all, []);
});

test('another image is rolled out to the idle runners at once and waits for the busy one', { skip }, async () => {
  await scale(2);
  await runners.rests(2);
  const { runner, finish, job } = await runners.heldJob('older');
  const patch = JSON.stringify({ spec: { image: IMAGES[1] } });
  await runners.ok('patch', 'rpool', FLEET, '--type=merge', '-p', patch);
  await runners.until('the idle one is new', ({ idle, busy, stale }) => idle === 1 && busy === 1 && stale === 1);
  await eventuallyHolds(async () => {
    assert.deepEqual(imagesOf(await runners.pods()), IMAGES);
    assert.match(await runners.condition('Rolling'), /^True WaitingForJobs 1 of 2 runners have another image/);
  });
  assert.equal(job.status, 'in_progress');
  await finish();
  await runners.leaves(runner);
  assert.deepEqual(imagesOf(await runners.rests(2)), [IMAGES[1], IMAGES[1]]);
  assert.match(await runners.condition('Rolling'), /^False UpToDate/);
});

test('a Mac that leaves: its idle runner goes at once, the busy one finishes its job, then the Mac is back in the pool', {
  skip,
}, async () => {
  const { fleet } = bench;
  await scale(4);
  await runners.rests(4);
  const { runner, node, finish, job } = await runners.heldJob('last');
  const onNode = async () => (await runners.pods()).filter(({ spec }) => spec?.nodeName === node);
  assert.equal((await onNode()).length, 2);
  const leaving = (await fleet.machines(FLEET)).find(({ metadata }) => metadata.name === node);
  assert.ok(leaving);
  await fleet.ok('annotate', 'machine', node, 'cluster.x-k8s.io/delete-machine=yes');
  await fleet.ok('scale', 'machinedeployment', FLEET, '--replicas=1');
  await eventuallyHolds(
    async () =>
      assert.deepEqual(
        (await onNode()).map(({ metadata }) => metadata.name),
        [runner],
      ),
    { deadline: seconds(180), interval: seconds(0.2) },
  );
  await eventuallyHolds(async () => {
    const deleting = findCondition(await fleet.json<Samm>('machine', node), 'Deleting');
    assert.match(deleting?.message ?? '', new RegExp(`Pod tuist-runners/${runner}: waiting for completion`));
  });
  assert.match(await shown(), /\nrunners 4 2 1 1 False 1 of 4 runners are missing: no Mac has room: /);
  assert.equal(job.status, 'in_progress');
  assert.equal(fleet.serverOf(leaving).name, node, 'the Mac is still the machine’s');
  await finish();
  await runners.leaves(runner);
  await fleet.goes(node);
  assert.match(fleet.serverOf(leaving).name, /^tuist-pool-/);
});

test('no job was begun twice, and no runner took two', { skip }, async () => {
  await eventually(() => bench.world.github.state.jobs.all.every(({ conclusion }) => conclusion === 'success'));
  assert.deepEqual(bench.world.github.doubles(), []);
  const { ended = {}, recentEnds = [] } = (await runners.pool()).status ?? {};
  assert.equal(ended['JobDone'], bench.world.github.state.jobs.all.length);
  assert.deepEqual(Object.keys(ended).toSorted(), ['JobDone', 'Removed']);
  assert.equal(new Set(recentEnds.map(({ runner }) => runner)).size, recentEnds.length);
});

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import { findCondition } from '@minifleet/kube';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import type { ScalewayAppleSiliconMachine } from './testing/fleet-driver.ts';
import { createPoolDriver, imagesOf, type PoolDriver } from './testing/pool-driver.ts';
import { FLEET, IMAGES, openRunnersBench, type RunnersBench } from './testing/runners-bench.ts';
import { findFilesOnMacs, readGuestEnvironments, readPublicTexts, tracesOf } from './testing/secret-traces.ts';

const skip = noHostNetwork;

let bench: RunnersBench;
let runners: PoolDriver;

before(async () => {
  if (skip !== false) return;
  bench = await openRunnersBench({ macs: 2, fleets: { [FLEET]: 2 } });
  runners = createPoolDriver(bench);
});
// A failed test must not block the others.
afterEach(() => runners?.releaseAll());
after(async () => {
  await bench?.stop();
  if (bench) assert.deepEqual(bench.world.deps.journal.gaps, [], 'requests that the world does not model');
});

const scale = (replicas: number): Promise<string> => runners.ok('scale', 'rpool', FLEET, `--replicas=${replicas}`);
const shown = async (): Promise<string> => (await runners.ok('get', 'rpool', FLEET)).replaceAll(/ +/g, ' ');

test('a warm VM runs a queued job once, is removed, recorded and replaced', {
  skip,
}, async t => {
  await bench.createPool(FLEET, 2);
  const warm = await runners.awaitIdle(2, seconds(120));
  const began = performance.now();
  const job = runners.queue({ name: 'build', script: 'sw_vers -productVersion; echo built' });
  assert.equal(await job.ended, 'success');
  t.diagnostic(`queued to done: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  const runner = job.runner?.name ?? '';
  const pod = warm.find(({ metadata }) => metadata.name === runner);
  assert.ok(pod, 'a warm runner ran the job');
  assert.equal(job.log, '26.3\nbuilt\n');
  assert.deepEqual(
    job.begun.map(({ name }) => name),
    [runner],
  );
  await runners.awaitGone(runner);
  const now = await runners.awaitIdle(2);
  assert.ok(!now.some(({ metadata }) => metadata.name === runner));
  const { outcome, reason, exitCode, host, image, log = '' } = (await runners.endOf(runner)) ?? {};
  assert.deepEqual(
    { outcome, reason, exitCode, host, image },
    { outcome: 'JobDone', reason: 'Completed', exitCode: 0, host: pod.spec?.nodeName, image: IMAGES[0] },
  );
  assert.match(log, /Running job: build\n.*Job build completed with result: Succeeded/);
  assert.deepEqual((await runners.pool()).status?.ended, { JobDone: 1 });
});

test('the JIT configuration of a runner is only in its Secret and its guest', {
  skip,
}, async () => {
  const { runner, finish } = await runners.startHeldJob('secretive');
  const secrets = await runners.secrets();
  const traces = [...secrets.values()].flatMap(tracesOf);
  assert.equal(traces.length, 6, 'two registered runners');
  const texts = await readPublicTexts(bench);
  for (const [place, text] of texts) {
    assert.notEqual(text, '', `${place} is readable`);
    assert.deepEqual(
      traces.filter(trace => text.includes(trace)),
      [],
      place,
    );
  }
  assert.ok(texts.get('objects other than Secrets')?.includes(runner));
  assert.ok(texts.get('logs on the Macs')?.includes('Running job: secretive'));
  const secret = secrets.get(runner);
  assert.ok(secret);
  const [configuration = ''] = tracesOf(secret);
  assert.ok(readGuestEnvironments(bench).includes(configuration), 'the search finds it in the guest');
  assert.notDeepEqual(findFilesOnMacs(bench, configuration), [], 'the search finds it on the Mac');
  await finish();
  await runners.awaitGone(runner);
  // A finished Pod is gone at once after its deletion; its agent may still clean up.
  await eventuallyHolds(() => assert.deepEqual(findFilesOnMacs(bench, configuration), []));
});

test('kubectl scale adds runners to a pool, and a scale-down lets the busy runner finish', {
  skip,
}, async () => {
  await scale(3);
  await runners.awaitIdle(3);
  const { runner, pod, job, finish } = await runners.startHeldJob('long');
  assert.match(await shown(), /^NAME DESIRED IDLE BUSY PENDING READY WHY AGE\nrunners 3 2 1 0 True /);
  await scale(0);
  await runners.awaitStatus('only the busy runner', ({ replicas, terminating }) => replicas === 1 && terminating === 0);
  assert.match(await shown(), /\nrunners 0 0 1 0 True /);
  assert.deepEqual(
    (await runners.pods()).map(({ metadata }) => metadata.uid),
    [pod.metadata.uid],
  );
  assert.equal(job.status, 'in_progress');
  await finish();
  await runners.awaitGone(runner);
  await runners.awaitIdle(0);
  assert.equal((await runners.endOf(runner))?.outcome, 'JobDone');
  assert.deepEqual(bench.world.github.state.runners.all, []);
});

test('a new image is rolled out to idle runners at once and waits for the busy one', { skip }, async () => {
  await scale(2);
  await runners.awaitIdle(2);
  const { runner, finish, job } = await runners.startHeldJob('older');
  const patch = JSON.stringify({ spec: { image: IMAGES[1] } });
  await runners.ok('patch', 'rpool', FLEET, '--type=merge', '-p', patch);
  await runners.awaitStatus('a new idle runner', ({ idle, busy, stale }) => idle === 1 && busy === 1 && stale === 1);
  await eventuallyHolds(async () => {
    assert.deepEqual(imagesOf(await runners.pods()), IMAGES);
    assert.match(await runners.condition('Rolling'), /^True WaitingForJobs 1 of 2 runners have an outdated image/);
  });
  assert.equal(job.status, 'in_progress');
  await finish();
  await runners.awaitGone(runner);
  assert.deepEqual(imagesOf(await runners.awaitIdle(2)), [IMAGES[1], IMAGES[1]]);
  assert.match(await runners.condition('Rolling'), /^False UpToDate/);
});

test('a removed Mac loses its idle runner at once, and returns to the pool after the job of the busy one', {
  skip,
}, async () => {
  const { fleet } = bench;
  await scale(4);
  await runners.awaitIdle(4);
  const { runner, node, finish, job } = await runners.startHeldJob('last');
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
    const deleting = findCondition(await fleet.json<ScalewayAppleSiliconMachine>('machine', node), 'Deleting');
    assert.match(deleting?.message ?? '', new RegExp(`Pod tuist-runners/${runner}: waiting for completion`));
  });
  assert.match(await shown(), /\nrunners 4 2 1 1 False 1 of 4 runners are missing: no VM slot is free: /);
  assert.equal(job.status, 'in_progress');
  assert.equal(fleet.serverOf(leaving).name, node, 'the machine still has the Mac');
  await finish();
  await runners.awaitGone(runner);
  await fleet.awaitDeleted(node);
  assert.match(fleet.serverOf(leaving).name, /^tuist-pool-/);
});

test('no job was started twice, and no runner ran two jobs', { skip }, async () => {
  await eventually(() => bench.world.github.state.jobs.all.every(({ conclusion }) => conclusion === 'success'));
  assert.deepEqual(bench.world.github.doubles(), []);
  const { ended = {}, recentEnds = [] } = (await runners.pool()).status ?? {};
  assert.equal(ended['JobDone'], bench.world.github.state.jobs.all.length);
  assert.deepEqual(Object.keys(ended).toSorted(), ['JobDone', 'Removed']);
  assert.equal(new Set(recentEnds.map(({ runner }) => runner)).size, recentEnds.length);
});

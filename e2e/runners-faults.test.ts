import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { RUNNER_VERSION } from '@minifleet/world/mac';
import { createPoolDriver, type PoolDriver } from './testing/pool-driver.ts';
import { FLEET, openRunnersBench, type RunnersBench } from './testing/runners-bench.ts';

const skip = noHostNetwork;
/** Fleet with a Mac that loses power. */
const WEAK = 'weak';
/** Shorter than at GitHub, which drops a silent runner after one minute and its job after ten. */
const behaviour = { longPoll: seconds(2), sessionLapse: seconds(10), leaseLapse: seconds(5) };

let bench: RunnersBench;
let runners: PoolDriver;

before(async () => {
  if (skip !== false) return;
  const fleets = { [FLEET]: 1, [WEAK]: 2 };
  bench = await openRunnersBench({ macs: 3, fleets, forge: { behaviour }, flags: ['--lost-after=10s'] });
  runners = createPoolDriver(bench);
  await Promise.all([bench.createPool(FLEET, 2), bench.createPool(WEAK, 1)]);
});
after(async () => {
  await bench?.stop();
  if (bench) assert.deepEqual(bench.world.deps.journal.gaps, [], 'requests that the world does not model');
});

const ended = async (): Promise<Record<string, number>> => (await runners.pool()).status?.ended ?? {};

/** Number of successful list requests to GitHub, which the program sends every second. */
const lists = (): number =>
  bench.world.deps.journal.entries.filter(({ detail }) => detail === 'GET /orgs/acme/actions/runners 200').length;

describe('runner faults', { concurrency: true, skip }, () => {
  test('a job on a Mac that loses power fails once, is reported as lost, and its runner is replaced on another Mac', async () => {
    const weak = createPoolDriver(bench, WEAK);
    await weak.awaitIdle(1, seconds(120));
    const { runner, node, job } = await weak.startHeldJob('doomed');
    const machine = (await bench.fleet.machines(WEAK)).find(({ metadata }) => metadata.name === node);
    assert.ok(machine);
    bench.world.hosts.all.get(bench.fleet.serverOf(machine).id)?.mac.shutDown();
    assert.equal(await job.ended, 'failure');
    const end = await eventually(() => weak.endOf(runner), {
      what: 'the recorded end of the runner',
      deadline: seconds(180),
      interval: seconds(0.2),
    });
    assert.deepEqual([end.outcome, end.host], ['JobLost', node]);
    await weak.awaitStatus('another idle runner', ({ idle }) => idle === 1, seconds(90));
    const [other] = (await weak.pods()).filter(({ metadata }) => metadata.name !== runner);
    assert.notEqual(other?.spec?.nodeName, node);
    assert.deepEqual((await weak.pool()).status?.ended, { JobLost: 1 });
    assert.deepEqual(
      bench.world.github.state.runners.all.filter(({ name }) => name === runner),
      [],
    );
  });

  describe('runner faults on one pool', { concurrency: 1 }, () => {
    // A failed test must not block the others.
    afterEach(() => runners.releaseAll());

    test('an idle runner that is deleted in GitHub ends and is replaced', async () => {
      const [pod] = await runners.awaitIdle(2, seconds(120));
      const name = pod?.metadata.name ?? '';
      assert.ok(bench.world.github.deleteRunner(name));
      await runners.awaitGone(name);
      const end = await runners.endOf(name);
      assert.deepEqual([end?.outcome, end?.exitCode], ['RemovedByGitHub', 0]);
      assert.match(end?.log ?? '', /The runner no longer exists on the server\. Cleaning up local configuration\./);
      await runners.awaitIdle(2);
    });

    test('a rate limit of GitHub is respected and reported, while jobs end and runners are replaced', async () => {
      const { finish, runner } = await runners.startHeldJob('undisturbed');
      // Longer than a request waits.
      bench.world.github.state.limits.throttle({ retryAfter: seconds(20) });
      await eventually(async () => (await runners.condition('ForgeReachable')).startsWith('False ForgeUnavailable '));
      const before = lists();
      assert.ok(before > 0);
      await finish();
      await eventually(async () => (await runners.endOf(runner))?.outcome === 'JobDone', {
        what: 'the recorded end of the runner',
      });
      await runners.awaitStatus('a pending successor', ({ replicas, pending }) => replicas === 2 && pending === 1);
      assert.match(
        await runners.condition('Ready'),
        /^False ForgeUnreachable 1 of 2 runners are missing: github: \w+ is rate limited/,
      );
      assert.equal(lists(), before, 'no list request during the rate limit');
      // The next process does not know the rate limit and sends a request at once, so the test need not wait for its end.
      await bench.program().stop('SIGKILL');
      bench.restart();
      await runners.awaitGone(runner);
    });

    test('a controller that replaces a killed one finds the end of every job and counts it once', async () => {
      await runners.awaitIdle(2);
      const before = (await ended())['JobDone'] ?? 0;
      const running = await runners.startHeldJob('running');
      await bench.program().stop('SIGKILL');
      const taken = runners.queue({ name: 'started meanwhile', script: 'true' });
      assert.equal(await taken.ended, 'success');
      bench.restart();
      await runners.awaitStatus('the second job to be counted', status => status.ended?.['JobDone'] === before + 1);
      assert.equal(running.job.status, 'in_progress');
      await bench.program().stop('SIGKILL');
      await running.finish();
      bench.restart();
      await runners.awaitGone(running.runner);
      await runners.awaitGone(taken.runner?.name ?? '');
      await runners.awaitIdle(2);
      assert.deepEqual(await ended(), { RemovedByGitHub: 1, JobDone: before + 2 });
    });

    test('a deleted pool removes its idle runner at once, lets the busy one finish, and leaves nothing', async () => {
      const { finish, job, runner } = await runners.startHeldJob('last');
      await runners.ok('delete', 'rpool', FLEET, '--wait=false');
      await runners.awaitStatus('only the busy runner', status => status.replicas === 1 && status.terminating === 0);
      assert.match(await runners.condition('Deleting'), new RegExp(`^True WaitingForJobs busy: ${runner}`));
      assert.equal(job.status, 'in_progress');
      await finish();
      await runners.ok('wait', '--for=delete', `rpool/${FLEET}`, '--timeout=180s');
      assert.deepEqual([await runners.pods(), [...(await runners.secrets()).keys()]], [[], []]);
      const left = bench.world.github.state.runners.all.filter(({ name }) => name.startsWith(FLEET));
      assert.deepEqual(left, []);
    });
  });
});

test('a runner whose version GitHub refuses ends as RunnerOutdated, and the pool names the version', {
  skip,
}, async () => {
  const weak = createPoolDriver(bench, WEAK);
  await weak.awaitStatus('an idle runner', ({ idle }) => idle === 1, seconds(90));
  // The Pod on the Mac that lost power is still Terminating.
  const pod = (await weak.pods()).find(({ metadata }) => metadata.deletionTimestamp === undefined);
  bench.world.github.state.releases.falseAlarm = true;
  const end = await eventually(() => weak.endOf(pod?.metadata.name ?? ''), {
    what: 'the recorded end of the runner',
    deadline: seconds(120),
    interval: seconds(0.2),
  });
  // The runner of the image is older than 2.333.0 and ignores the variable for exit code 7.
  assert.deepEqual([end.outcome, end.exitCode, end.version], ['RunnerOutdated', 0, RUNNER_VERSION]);
  assert.match(end.log ?? '', /is deprecated and cannot receive messages/);
  const condition = await eventually(async () => {
    const text = await weak.condition('RunnerVersionSupported');
    return text.startsWith('False Outdated ') ? text : undefined;
  });
  assert.ok(
    condition.includes(`GitHub gives no jobs to actions/runner ${RUNNER_VERSION}. Rebuild the image`),
    condition,
  );
});

test('no job was started twice, and no runner ran two jobs', { skip }, () => {
  assert.deepEqual(bench.world.github.doubles(), []);
  assert.ok(bench.world.github.state.jobs.all.every(({ begun }) => begun.length === 1));
});

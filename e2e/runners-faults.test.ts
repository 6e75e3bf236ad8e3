import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '../packages/local-cluster/testing/host-network-support.ts';
import { FLEET, openRunnersBench, type RunnersBench } from './testing/runners-bench.ts';
import { type RunnersInSentences, runnersInSentences } from './testing/runners-in-sentences.ts';

const skip = noHostNetwork;
/** A fleet of its own, one of whose Macs loses power. */
const WEAK = 'weak';
/** GitHub gives up a runner it does not hear after a minute, and its job after ten. */
const behaviour = { longPoll: seconds(2), sessionLapse: seconds(10), leaseLapse: seconds(5) };

let bench: RunnersBench;
let runners: RunnersInSentences;

before(async () => {
  if (skip !== false) return;
  const fleets = { [FLEET]: 1, [WEAK]: 2 };
  bench = await openRunnersBench({ macs: 3, fleets, forge: { behaviour }, flags: ['--lost-after=10s'] });
  runners = runnersInSentences(bench);
  await Promise.all([bench.createPool(FLEET, 2), bench.createPool(WEAK, 1)]);
});
after(async () => {
  await bench?.stop();
  if (bench) assert.deepEqual(bench.world.deps.journal.gaps, [], 'nothing was relied on that the world does not model');
});

const ended = async (): Promise<Record<string, number>> => (await runners.pool()).status?.ended ?? {};

/** How often the forge has given out its list of runners so far; it is asked for every second. */
const lists = (): number =>
  bench.world.deps.journal.entries.filter(({ detail }) => detail === 'GET /orgs/acme/actions/runners 200').length;

describe('faults', { concurrency: true, skip }, () => {
  test('a Mac that loses power in the middle of a job: the job fails once, the loss is told, its place is filled on another Mac', async () => {
    const weak = runnersInSentences(bench, WEAK);
    await weak.rests(1, seconds(120));
    const { runner, node, job } = await weak.heldJob('doomed');
    const machine = (await bench.fleet.machines(WEAK)).find(({ metadata }) => metadata.name === node);
    assert.ok(machine);
    bench.world.hosts.all.get(bench.fleet.serverOf(machine).id)?.mac.shutDown();
    assert.equal(await job.ended, 'failure');
    const end = await eventually(() => weak.endOf(runner), {
      what: 'its end is told',
      deadline: seconds(180),
      interval: seconds(0.2),
    });
    assert.deepEqual([end.outcome, end.host], ['JobLost', node]);
    await weak.until('another one is idle', ({ idle }) => idle === 1, seconds(90));
    const [other] = (await weak.pods()).filter(({ metadata }) => metadata.name !== runner);
    assert.notEqual(other?.spec?.nodeName, node);
    assert.deepEqual((await weak.pool()).status?.ended, { JobLost: 1 });
    assert.deepEqual(
      bench.world.github.state.runners.all.filter(({ name }) => name === runner),
      [],
    );
  });

  describe('one after the other', { concurrency: 1 }, () => {
    // A test that failed does not hold up the others.
    afterEach(() => runners.releaseAll());

    test('an idle runner that somebody deletes in GitHub ends by itself and is replaced', async () => {
      const [pod] = await runners.rests(2, seconds(120));
      const name = pod?.metadata.name ?? '';
      assert.ok(bench.world.github.deleteRunner(name));
      await runners.leaves(name);
      const end = await runners.endOf(name);
      assert.deepEqual([end?.outcome, end?.exitCode], ['NoJob', 0]);
      assert.match(end?.log ?? '', /The runner registration has been deleted from the server/);
      await runners.rests(2);
    });

    test('a forge that asks for silence is obeyed and told of; meanwhile the job goes on, its end is told, its successor made', async () => {
      const { finish, runner } = await runners.heldJob('undisturbed');
      // Longer than a call waits.
      bench.world.github.state.limits.throttle({ retryAfter: seconds(20) });
      await eventually(async () => (await runners.condition('ForgeReachable')).startsWith('False ForgeUnavailable '));
      const before = lists();
      assert.ok(before > 0);
      await finish();
      await eventually(async () => (await runners.endOf(runner))?.outcome === 'JobDone', { what: 'its end is told' });
      await runners.until('its place is taken', ({ replicas, pending }) => replicas === 2 && pending === 1);
      assert.match(
        await runners.condition('Ready'),
        /^False ForgeUnreachable 1 of 2 runners are missing: github: \w+ is rate limited/,
      );
      assert.equal(lists(), before, 'it was not asked meanwhile');
      // The next process knows nothing of that minute and asks at once: it is not waited for here.
      await bench.program().stop('SIGKILL');
      bench.restart();
      await runners.leaves(runner);
    });

    test('a controller killed with -9 while jobs run is followed by one that finds every end, and counts it once', async () => {
      await runners.rests(2);
      const before = (await ended())['JobDone'] ?? 0;
      const running = await runners.heldJob('running');
      await bench.program().stop('SIGKILL');
      const taken = runners.queue({ name: 'taken meanwhile', script: 'true' });
      assert.equal(await taken.ended, 'success');
      bench.restart();
      await runners.until('the second one is counted', status => status.ended?.['JobDone'] === before + 1);
      assert.equal(running.job.status, 'in_progress');
      await bench.program().stop('SIGKILL');
      await running.finish();
      bench.restart();
      await runners.leaves(running.runner);
      await runners.leaves(taken.runner?.name ?? '');
      await runners.rests(2);
      assert.deepEqual(await ended(), { NoJob: 1, JobDone: before + 2 });
    });

    test('a pool that is deleted lets its idle runner go at once and its busy one finish, and leaves nothing', async () => {
      const { finish, job, runner } = await runners.heldJob('last');
      await runners.ok('delete', 'rpool', FLEET, '--wait=false');
      await runners.until('the busy one is left', status => status.replicas === 1 && status.terminating === 0);
      assert.match(await runners.condition('Deleting'), new RegExp(`^True WaitingForJobs ${runner} have a job`));
      assert.equal(job.status, 'in_progress');
      await finish();
      await runners.ok('wait', '--for=delete', `rpool/${FLEET}`, '--timeout=180s');
      assert.deepEqual([await runners.pods(), [...(await runners.secrets()).keys()]], [[], []]);
      const left = bench.world.github.state.runners.all.filter(({ name }) => name.startsWith(FLEET));
      assert.deepEqual(left, []);
    });
  });
});

test('no job was begun twice, and no runner took two', { skip }, () => {
  assert.deepEqual(bench.world.github.doubles(), []);
  assert.ok(bench.world.github.state.jobs.all.every(({ begun }) => begun.length === 1));
});

import { runnerPool } from '@minifleet/api';
import { nodes } from '@minifleet/kube';
import type { Scenario } from '@minifleet/provider/testing/faults/scenario-runner';
import { imageOf } from '../../runner/pod-state.ts';
import { idlePool, poolWithJob, runnerWithJob, untilIdle, untilJobsCounted, untilJobsDone } from './pool-steps.ts';
import type { RunnersFaultBench } from './runners-fault-bench.ts';
import { POOL } from './runners-world.ts';
import type { RunnersStartOptions } from './start-runners.ts';

/** Part of the lifecycle of a pool. */
export type RunnersScenario = Scenario<RunnersFaultBench, RunnersStartOptions>;

const scenario = (
  name: string,
  setUp: RunnersScenario['setUp'],
  run: (bench: RunnersFaultBench) => Promise<unknown>,
): RunnersScenario => ({
  name,
  setUp,
  options: {},
  async run(bench) {
    await run(bench);
  },
});

const nothing = async (): Promise<void> => undefined;

const created = scenario('creation of a pool and completion of a job', nothing, async bench => {
  await bench.makePool(2);
  if (!(await untilIdle(bench, 2))) return;
  bench.jobs.queue(1);
  if ((await untilJobsDone(bench, 1)) && (await untilJobsCounted(bench, 1))) await untilIdle(bench, 2);
});

const scaledUp = scenario('scale-up of a pool', idlePool(1), async bench => {
  await bench.changePool({ replicas: 3 });
  await untilIdle(bench, 3);
});

/** GitHub assigns the queued job to the runner that a scale-down removes first. */
const scaledDown = scenario('scale-down of a pool while jobs arrive', poolWithJob(3), async bench => {
  bench.jobs.queue(1);
  await bench.changePool({ replicas: 1 });
  if ((await untilJobsDone(bench, 2)) && (await untilJobsCounted(bench, 2))) await untilIdle(bench, 1);
});

const imageChanged = scenario('image change while a job runs', poolWithJob(2), async bench => {
  const image = 'registry.example/runner:27';
  await bench.changePool({ image });
  const done = await bench.until('all runners have the new image', async () => {
    const alive = await bench.alive();
    return alive.length === 2 && alive.every(pod => imageOf(pod) === image);
  });
  if (done && (await untilJobsCounted(bench, 1))) await untilIdle(bench, 2);
});

const deleted = scenario('deletion of a pool while a job runs', poolWithJob(2), async bench => {
  await bench.api.client.delete(runnerPool.resource, POOL);
  await bench.until('the pool is gone', async () => !(await bench.findPool()));
  bench.expect('the job was done before the deletion', bench.jobs.done === 1);
});

const hostLost = scenario('loss of a Mac that runs a job', poolWithJob(2), async bench => {
  const { node } = await runnerWithJob(bench);
  await bench.loseMac(node);
  await bench.until('a runner on another Mac replaces it', async () => (await bench.status()).idle === 2);
  await bench.until('the end is recorded', async () => (await bench.status()).ended?.['HostLost'] !== undefined);
  await bench.until('GitHub released the registration', async () => bench.forge.all().length === 2);
});

const cordoned = scenario('cordon of a Mac that runs a job', poolWithJob(2), async bench => {
  const { node } = await runnerWithJob(bench);
  bench.mac.slots.delete(node);
  await bench.api.client.patch(nodes, { name: node }, { type: 'merge', body: { spec: { unschedulable: true } } });
  if (!((await untilJobsDone(bench, 1)) && (await untilJobsCounted(bench, 1)))) return;
  await untilIdle(bench, 2);
  bench.expect(
    'no runner is on the cordoned Mac',
    (await bench.alive()).every(({ spec }) => spec?.nodeName !== node),
  );
});

export const scenarios: readonly RunnersScenario[] = [
  ...[created, scaledUp, scaledDown, imageChanged, deleted, hostLost, cordoned],
];

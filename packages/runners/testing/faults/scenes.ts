import { runnerPool } from '@minifleet/api';
import { nodes } from '@minifleet/kube';
import type { SceneOf } from '@minifleet/provider/testing/faults/stage';
import { imageOf } from '../../runner/pod-state.ts';
import { counted, jobsDone, runnerWithJob, served, servedWithJob, warm } from './lives.ts';
import type { RunnersBench } from './runners-bench.ts';
import { POOL } from './runners-world.ts';
import type { StartOptions } from './start-runners.ts';

/** A part of a pool's life, lived under a program that something happens to. */
export type Scene = SceneOf<RunnersBench, StartOptions>;

const scene = (name: string, before: Scene['before'], live: (bench: RunnersBench) => Promise<unknown>): Scene => ({
  name,
  before,
  options: {},
  async live(bench) {
    await live(bench);
  },
});

const nothing = async (): Promise<void> => undefined;

const jobDone = scene('a pool is made, a job is taken and done', nothing, async bench => {
  await bench.makePool(2);
  if (!(await warm(bench, 2))) return;
  bench.jobs.queue(1);
  if ((await jobsDone(bench, 1)) && (await counted(bench, 1))) await warm(bench, 2);
});

const grown = scene('the pool grows', served(1), async bench => {
  await bench.changePool({ replicas: 3 });
  await warm(bench, 3);
});

/** A job waits in the forge: it comes to the runner that a smaller pool gives up first. */
const shrunk = scene('the pool shrinks, and jobs come at the same moment', servedWithJob(3), async bench => {
  bench.jobs.queue(1);
  await bench.changePool({ replicas: 1 });
  if ((await jobsDone(bench, 2)) && (await counted(bench, 2))) await warm(bench, 1);
});

const rolled = scene('the desired image changes, and a job runs', servedWithJob(2), async bench => {
  const image = 'registry.example/runner:27';
  await bench.changePool({ image });
  const done = await bench.until('all runners have it', async () => {
    const alive = await bench.alive();
    return alive.length === 2 && alive.every(pod => imageOf(pod) === image);
  });
  if (done && (await counted(bench, 1))) await warm(bench, 2);
});

const deleted = scene('the pool is deleted, and a job runs', servedWithJob(2), async bench => {
  await bench.api.client.delete(runnerPool.resource, POOL);
  await bench.until('the pool is gone', async () => !(await bench.findPool()));
  bench.expect('the job was done first', bench.jobs.done === 1);
});

const hostLost = scene('a Mac is lost with a running job', servedWithJob(2), async bench => {
  const { node } = await runnerWithJob(bench);
  await bench.loseMac(node);
  await bench.until('its place is filled elsewhere', async () => (await bench.status()).idle === 2);
  await bench.until('the end is recorded', async () => (await bench.status()).ended?.['HostLost'] !== undefined);
  await bench.until('nothing is left in the forge', async () => bench.forge.all().length === 2);
});

const cordoned = scene('a Mac is cordoned, and a job runs there', servedWithJob(2), async bench => {
  const { node } = await runnerWithJob(bench);
  bench.mac.slots.delete(node);
  await bench.api.client.patch(nodes, { name: node }, { type: 'merge', body: { spec: { unschedulable: true } } });
  if (!((await jobsDone(bench, 1)) && (await counted(bench, 1)))) return;
  await warm(bench, 2);
  bench.expect(
    'both are elsewhere',
    (await bench.alive()).every(({ spec }) => spec?.nodeName !== node),
  );
});

export const scenes: readonly Scene[] = [jobDone, grown, shrunk, rolled, deleted, hostLost, cordoned];

import type { RunnersFaultBench } from './runners-fault-bench.ts';

/** Waits until the pool `macos` has exactly this number of runners, and all are idle. */
export const untilIdle = (bench: RunnersFaultBench, runners: number): Promise<boolean> =>
  bench.until(`${runners} runners are idle`, async () => {
    const { idle, busy, pending } = await bench.status();
    return idle === runners && busy === 0 && pending === 0 && (await bench.alive()).length === runners;
  });

/** Creates a pool of idle runners, calls `act`, and stops the controller. */
export const idlePool =
  (runners: number, act: (bench: RunnersFaultBench) => Promise<void> = async () => undefined) =>
  async (bench: RunnersFaultBench) => {
    const controller = bench.start();
    await bench.makePool(runners);
    await untilIdle(bench, runners);
    await act(bench);
    bench.stop(controller);
  };

/** Creates a pool in which one runner has a job that the controller has observed, and stops the controller. */
export const poolWithJob = (runners: number): ((bench: RunnersFaultBench) => Promise<void>) =>
  idlePool(runners, startJob);

export async function startJob(bench: RunnersFaultBench): Promise<void> {
  bench.jobs.queue(1);
  await bench.until('a job runs', async () => (await bench.status()).busy === 1);
}

export const untilJobsDone = (bench: RunnersFaultBench, jobs: number): Promise<boolean> =>
  bench.until(`${jobs} jobs are done`, async () => bench.jobs.done === jobs && bench.jobs.waiting === 0);

/** Waits until each job is counted once, whatever the controller missed. */
export const untilJobsCounted = (bench: RunnersFaultBench, jobs: number): Promise<boolean> =>
  bench.until(`${jobs} ends are counted as JobDone`, async () => (await bench.status()).ended?.['JobDone'] === jobs);

export async function runnerWithJob(
  bench: RunnersFaultBench,
): Promise<{ readonly name: string; readonly node: string }> {
  const pod = (await bench.alive()).find(({ metadata }) => bench.jobs.hasJob(metadata.name));
  return { name: pod?.metadata.name ?? '', node: pod?.spec?.nodeName ?? '' };
}

/** Starts a controller and creates a pool of idle runners. */
export async function startWithIdlePool(bench: RunnersFaultBench, runners: number): Promise<boolean> {
  bench.start();
  await bench.makePool(runners);
  return untilIdle(bench, runners);
}

/** Starts a controller and creates a pool of one runner. Returns when it is registered; its VM has not started yet. */
export async function startWithRegisteredRunner(bench: RunnersFaultBench): Promise<string> {
  bench.start();
  await bench.makePool(1);
  await bench.until('the runner is registered', async () => bench.forge.all().length === 1);
  return onlyRunner(bench);
}

export const onlyRunner = async (bench: RunnersFaultBench): Promise<string> =>
  (await bench.alive())[0]?.metadata.name ?? '';

export const untilReplaced = (bench: RunnersFaultBench, runner: string): Promise<boolean> =>
  bench.until(`another runner replaces ${runner}`, async () => {
    const alive = await bench.alive();
    return alive.every(({ metadata }) => metadata.name !== runner) && (await bench.status()).idle === alive.length;
  });

export const untilEndCounted = (bench: RunnersFaultBench, outcome: string): Promise<boolean> =>
  bench.until(`one end is counted as ${outcome}`, async () => (await bench.status()).ended?.[outcome] === 1);

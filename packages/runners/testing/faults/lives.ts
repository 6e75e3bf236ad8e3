import type { RunnersBench } from './runners-bench.ts';

/** Parts of the life of the pool `macos`, as scenes put them together. */
export const warm = (bench: RunnersBench, runners: number): Promise<boolean> =>
  bench.until(`${runners} runners are idle`, async () => {
    const { idle, busy, pending } = await bench.status();
    return idle === runners && busy === 0 && pending === 0 && (await bench.alive()).length === runners;
  });

/** A pool of warm runners, and no program; `then` is what happens before it goes. */
export const served =
  (runners: number, then: (bench: RunnersBench) => Promise<void> = async () => undefined) =>
  async (bench: RunnersBench) => {
    const life = bench.start();
    await bench.makePool(runners);
    await warm(bench, runners);
    await then(bench);
    bench.leave(life);
  };

/** The same, and one of them has a job that its program knows of. */
export const servedWithJob = (runners: number): ((bench: RunnersBench) => Promise<void>) => served(runners, jobBegun);

export async function jobBegun(bench: RunnersBench): Promise<void> {
  bench.jobs.queue(1);
  await bench.until('a job is under way', async () => (await bench.status()).busy === 1);
}

export const jobsDone = (bench: RunnersBench, jobs: number): Promise<boolean> =>
  bench.until(`${jobs} jobs are done`, async () => bench.jobs.done === jobs && bench.jobs.waiting === 0);

/** Whatever the program missed meanwhile, an end is counted once. */
export const counted = (bench: RunnersBench, jobs: number): Promise<boolean> =>
  bench.until(`${jobs} ends are counted as JobDone`, async () => (await bench.status()).ended?.['JobDone'] === jobs);

export async function runnerWithJob(bench: RunnersBench): Promise<{ readonly name: string; readonly node: string }> {
  const pod = (await bench.alive()).find(({ metadata }) => bench.jobs.isAtWork(metadata.name));
  return { name: pod?.metadata.name ?? '', node: pod?.spec?.nodeName ?? '' };
}

/** A program, and a pool of so many warm runners. */
export async function begun(bench: RunnersBench, runners: number): Promise<boolean> {
  bench.start();
  await bench.makePool(runners);
  return warm(bench, runners);
}

/** A program, and a pool of one runner that is registered and whose VM has not been started yet. */
export async function registered(bench: RunnersBench): Promise<string> {
  bench.start();
  await bench.makePool(1);
  await bench.until('it is registered', async () => bench.forge.all().length === 1);
  return onlyRunner(bench);
}

export const onlyRunner = async (bench: RunnersBench): Promise<string> => (await bench.alive())[0]?.metadata.name ?? '';

export const another = (bench: RunnersBench, gone: string): Promise<boolean> =>
  bench.until(`another is in the place of ${gone}`, async () => {
    const alive = await bench.alive();
    return alive.every(({ metadata }) => metadata.name !== gone) && (await bench.status()).idle === alive.length;
  });

export const endedAs = (bench: RunnersBench, outcome: string): Promise<boolean> =>
  bench.until(`one end is counted as ${outcome}`, async () => (await bench.status()).ended?.[outcome] === 1);

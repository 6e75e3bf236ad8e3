import { setTimeout as sleep } from 'node:timers/promises';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { pods } from '@minifleet/kube';
import { POOLS_NAMESPACE } from '@minifleet/runners/testing/program';
import { type Spread, spreadOf } from '../../agent/measure/spread.ts';
import type { Progress } from '../../benchmark.ts';
import { REST_SECONDS, type RunnersSize, SETTLE_SECONDS, TRICKLE, WRITES_A_SECOND, withinSeconds } from '../names.ts';
import { awaitPoolsIdle, endsOf, listPools } from './await-pools-idle.ts';
import { observeVacancies, type VacancyObserver } from './observe-vacancies.ts';
import { type MeteredRunners, openBench, type RunnersBench } from './open-bench.ts';

/** Programs that run during the measurement. */
interface RunnersMeasurementDeps {
  readonly size: RunnersSize;
  readonly bench: RunnersBench;
  readonly program: MeteredRunners;
  readonly places: VacancyObserver;
}

export interface TurnoverFigures {
  /** Time until the last job is done. */
  readonly jobsSeconds: number;
  /** Time until the program has observed every runner as idle, up to two polls of GitHub. */
  readonly idleSeconds: number;
  /** Time until every end is in the status of its pool. */
  readonly countedSeconds: number;
  /** Minimum time due to the rate limit of GitHub. */
  readonly boundSeconds: number;
  readonly replacement: Spread;
  readonly jobs: { readonly queued: number; readonly done: number; readonly failed: number };
  readonly doubles: readonly string[];
  /** Runners by how they ended. */
  readonly ends: Readonly<Record<string, number>>;
  readonly processorSeconds: number;
  readonly others: { readonly cluster: number; readonly macs: number };
  /** Requests per replaced runner. */
  readonly apiRequests: number;
  readonly forgeRequests: number;
}

export interface RunnersFigures {
  readonly size: RunnersSize;
  readonly warmSeconds: number;
  /** Milliseconds from the deletion of a Pod to the creation of its successor, without other load. */
  readonly trickle: Spread;
  readonly turnover: TurnoverFigures;
  readonly peakMegabytes: number;
  readonly idleMegabytes: number;
  /** Per pool and minute. */
  readonly atRest: {
    readonly api: number;
    readonly forge: number;
    readonly passes: number;
    readonly processorMs: number;
  };
}

export async function measureRunners(size: RunnersSize, progress: Progress): Promise<RunnersFigures> {
  progress('starting an API server, GitHub, and fake Macs');
  await using bench = await openBench(size);
  await using places = await observeVacancies(bench.admin, size.runners);
  await using program = await bench.startProgram();
  const deps = { size, bench, program, places };
  try {
    return await measure(deps, progress);
  } catch (error) {
    const problems = await bench.macs.problems();
    throw new Error([...problems.slice(0, 5), program.log().slice(-3_000)].join('\n'), { cause: error });
  }
}

async function measure(deps: RunnersMeasurementDeps, progress: Progress): Promise<RunnersFigures> {
  const { size, bench, program } = deps;
  const { megabytes } = await program.read();
  progress(`${size.pools} pools of ${size.runners}: from created to idle`);
  const begun = performance.now();
  await bench.createPools();
  await awaitPoolsIdle(bench.admin, { size, bound: size.runners / WRITES_A_SECOND });
  const warmSeconds = (performance.now() - begun) / 1_000;
  progress('deleting Pods one after the other');
  const trickle = await trickling(deps);
  progress(`${size.turns} jobs per runner slot`);
  const turnover = await turnOver(deps);
  progress(`${SETTLE_SECONDS + REST_SECONDS} s at rest`);
  const atRest = await rest(deps);
  const problems = await bench.macs.problems();
  if (problems.length > 0) throw new Error(`the figures are invalid: ${problems.slice(0, 5).join('; ')}`);
  const { peakMegabytes } = await program.read();
  return { size, warmSeconds, trickle, turnover, atRest, peakMegabytes, idleMegabytes: megabytes };
}

/** Deletes Pods without a grace period, like those of a lost Mac, so that the slot is free at once. */
async function trickling({ size, bench, places }: RunnersMeasurementDeps): Promise<Spread> {
  const { admin } = bench;
  const perPool = Math.min(TRICKLE.perPool, size.runners);
  const byPool = [...Map.groupBy(places.pods(), name => name.replace(/-[^-]+$/, '')).values()];
  places.take();
  for (let round = 0; round < perPool; round++) {
    for (const names of byPool) {
      const key = { namespace: POOLS_NAMESPACE, name: names[round] ?? '' };
      await admin.delete(pods, key, { gracePeriodSeconds: 0 });
      await sleep(1_000 / TRICKLE.perSecond);
    }
  }
  // Each runner is removed from GitHub, and another one is registered.
  await awaitPoolsIdle(admin, { size, bound: (2 * perPool) / WRITES_A_SECOND });
  return spreadOf(places.take());
}

async function turnOver({ size, bench, program, places }: RunnersMeasurementDeps): Promise<TurnoverFigures> {
  const { admin, macs } = bench;
  const perPool = size.runners * size.turns;
  const queued = perPool * size.pools;
  const boundSeconds = perPool / WRITES_A_SECOND;
  const others = async () => ({ cluster: bench.clusterSeconds(), macs: (await macs.processorTime()) / 1_000 });
  const [before, requests, costs] = [await program.read(), await macs.requests(), await others()];
  places.take();
  await macs.queueJobs(perPool);
  const allDone = async (): Promise<boolean> => (await macs.jobs()).open === 0;
  const deadline = seconds(withinSeconds(boundSeconds));
  await eventually(allDone, { interval: seconds(0.25), deadline, what: 'the end of every job' });
  const jobsSeconds = (performance.now() - before.at) / 1_000;
  await awaitPoolsIdle(admin, { size, bound: boundSeconds });
  const idleSeconds = (performance.now() - before.at) / 1_000;
  const allCounted = async (): Promise<boolean> => endsOf(await listPools(admin))['JobDone'] === queued;
  // After a timeout the report shows how many are missing.
  await eventually(allCounted, { interval: seconds(0.5), deadline }).catch(() => undefined);
  const [after, requestsAfter, costsAfter] = [await program.read(), await macs.requests(), await others()];
  const { done, failed, doubles } = await macs.jobs();
  return {
    jobsSeconds,
    idleSeconds,
    countedSeconds: (after.at - before.at) / 1_000,
    boundSeconds,
    replacement: spreadOf(places.take()),
    jobs: { queued, done, failed },
    doubles,
    ends: endsOf(await listPools(admin)),
    processorSeconds: after.processorSeconds - before.processorSeconds,
    others: { cluster: costsAfter.cluster - costs.cluster, macs: costsAfter.macs - costs.macs },
    apiRequests: (after.requests - before.requests) / queued,
    forgeRequests: (requestsAfter - requests) / queued,
  };
}

async function rest({ size, bench, program }: RunnersMeasurementDeps): Promise<RunnersFigures['atRest']> {
  await sleep(SETTLE_SECONDS * 1_000);
  const [before, requests] = [await program.read(), await bench.macs.requests()];
  await sleep(REST_SECONDS * 1_000);
  const [after, requestsAfter] = [await program.read(), await bench.macs.requests()];
  const poolMinutes = (size.pools * (after.at - before.at)) / 60_000;
  return {
    api: (after.requests - before.requests) / poolMinutes,
    forge: (requestsAfter - requests) / poolMinutes,
    passes: (after.passes - before.passes) / poolMinutes,
    processorMs: ((after.processorSeconds - before.processorSeconds) * 1_000) / poolMinutes,
  };
}

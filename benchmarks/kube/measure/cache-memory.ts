import { median } from '../../report/percentile.ts';
import { type Both, SUBJECTS, type SubjectName } from '../names.ts';
import type { StubServer } from '../stub-server/start-stub-server.ts';
import type { Memory } from '../subject/calls.ts';
import { startSubject } from '../subject/start-subject.ts';

export const MEMORY_LOAD = { objects: 10_000, runs: 5 };

/** Memory in megabytes: growth by list and cache over an idle process, and total. */
export interface CacheMemory {
  readonly heapGrowth: number;
  readonly rssGrowth: number;
  readonly rss: number;
  readonly lowestRss: number;
  readonly highestRss: number;
}

interface MemoryRuns {
  readonly idle: Memory[];
  readonly loaded: Memory[];
}

/**
 * Idle and loaded are different processes. Collecting garbage in a process before its load changes how V8 lets the heap
 * grow during the load: resident memory then varies by 35 MB between runs, with either client.
 */
export async function measureCacheMemory(stub: StubServer): Promise<Both<CacheMemory>> {
  await stub.ask('fill', MEMORY_LOAD.objects);
  const runs: Both<MemoryRuns> = { minifleet: { idle: [], loaded: [] }, official: { idle: [], loaded: [] } };
  for (let run = 0; run < MEMORY_LOAD.runs; run++) {
    for (const name of SUBJECTS) {
      runs[name].idle.push(await measureIdle(name));
      runs[name].loaded.push(await measureLoaded(stub, name));
    }
  }
  return { minifleet: summary(runs.minifleet), official: summary(runs.official) };
}

async function measureIdle(name: SubjectName): Promise<Memory> {
  const subject = await startSubject(name, 'read-cache');
  try {
    return await subject.ask('memory');
  } finally {
    await subject.stop();
  }
}

async function measureLoaded(stub: StubServer, name: SubjectName): Promise<Memory> {
  const subject = await startSubject(name, 'read-cache');
  try {
    await subject.ask('start', stub.kubeconfig);
    await subject.ask('passed', MEMORY_LOAD.objects);
    return await subject.ask('memory');
  } finally {
    await subject.stop();
  }
}

function summary({ idle, loaded }: MemoryRuns): CacheMemory {
  const megabytes = (of: readonly Memory[], figure: keyof Memory): number[] => of.map(run => run[figure] / 1_000_000);
  const growth = (figure: keyof Memory): number => median(megabytes(loaded, figure)) - median(megabytes(idle, figure));
  const rss = megabytes(loaded, 'rss');
  return {
    heapGrowth: growth('heapUsed'),
    rssGrowth: growth('rss'),
    rss: median(rss),
    lowestRss: Math.min(...rss),
    highestRss: Math.max(...rss),
  };
}

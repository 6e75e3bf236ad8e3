/** Benchmark of the controller loop, compared with the same loop on the official client's informer. */
import type { Progress, Report } from '../benchmark.ts';
import { type KubeFigures, kubeReport } from './kube-report.ts';
import { measureCacheMemory } from './measure/cache-memory.ts';
import { measureCatchUp } from './measure/catch-up.ts';
import { measureEventLatency } from './measure/event-latency.ts';
import { measureNoOpRate } from './measure/no-op-rate.ts';
import { measureRequestCount } from './measure/request-count.ts';
import type { Both, SubjectName } from './names.ts';
import { installOfficialClient } from './official-client/install-official-client.ts';
import { type StubServer, startStubServer } from './stub-server/start-stub-server.ts';

export async function kubeBenchmark(progress: Progress): Promise<Report> {
  const officialVersion = installOfficialClient(progress);
  const stub = await startStubServer();
  try {
    const { bytesPerObject } = await stub.ask('fill', 1);
    const both = inTurn(progress);
    const figures: KubeFigures = {
      bytesPerObject,
      eventLatency: await both('event to reconcile', name => measureEventLatency(stub, name)),
      noOpRate: await both('no-op reconciles', name => measureNoOpRate(stub, name)),
      cacheMemory: await cacheMemory(stub, progress),
      requestCount: await both('requests per reconcile', name => measureRequestCount(stub, name)),
      catchUp: await catchUp(progress),
    };
    return kubeReport(figures, officialVersion);
  } finally {
    await stub.stop();
  }
}

/** Measures one subject after the other, because they would compete for the CPU. */
function inTurn(progress: Progress) {
  return async <T>(what: string, measure: (name: SubjectName) => Promise<T>): Promise<Both<T>> => {
    const one = (name: SubjectName): Promise<T> => {
      progress(`${what}: ${name}`);
      return measure(name);
    };
    return { minifleet: await one('minifleet'), official: await one('official') };
  };
}

function cacheMemory(stub: StubServer, progress: Progress): ReturnType<typeof measureCacheMemory> {
  progress('memory of the cache: both');
  return measureCacheMemory(stub);
}

function catchUp(progress: Progress): ReturnType<typeof measureCatchUp> {
  progress('catch-up after restarts of kube-apiserver: both');
  return measureCatchUp();
}

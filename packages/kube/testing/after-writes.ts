import type { MemoryApi } from './memory-api.ts';

/**
 * Repeats the work only after a write, and otherwise returns its last result. A test that reads the same objects in each
 * step of its clock would mostly read what did not change. The work may write: it then runs again at the next call.
 */
export function afterWrites<T>(api: Pick<MemoryApi, 'resourceVersion'>, work: () => Promise<T>): () => Promise<T> {
  let last: { readonly version: string; readonly result: T } | undefined;
  return async () => {
    // Read before the work, so that a write during the work counts as later.
    const version = api.resourceVersion;
    if (last?.version !== version) last = { version, result: await work() };
    return last.result;
  };
}

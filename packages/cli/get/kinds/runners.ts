import * as names from '@minifleet/api/names';
import type { Listing } from '../listing.ts';
import { podColumns, podLine } from './guests.ts';

/** Pods of RunnerPools, wherever they are or wait to be. */
export const runners: Listing = {
  sources: ['pods'],
  columns: podColumns([{ title: 'NAMESPACE', drop: 3 }, { title: 'NAME' }, { title: 'POOL', drop: 1 }]),
  lines: ({ pods }, now) =>
    pods.flatMap(pod => {
      const pool = pod.metadata.labels?.[names.labels.runnerPool];
      if (pool === undefined) return [];
      const line = podLine(pod, now);
      return [{ ...line, cells: { ...line.cells, POOL: pool } }];
    }),
};

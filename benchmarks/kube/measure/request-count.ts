import { sharedClock } from '../../child/shared-clock.ts';
import type { SubjectName } from '../names.ts';
import type { Counts } from '../stub-server/calls.ts';
import type { StubServer } from '../stub-server/start-stub-server.ts';
import { startSubject } from '../subject/start-subject.ts';

export const REQUEST_LOAD = { objects: 200 };

export interface RequestCount {
  /** Requests per reconcile that writes one annotation. */
  readonly requestsPerReconcile: number;
  readonly connectionsPerReconcile: number;
  /** Milliseconds from the start of the loop until all objects are written and every write was observed. */
  readonly untilConverged: number;
  /** Requests and new connections while every object is reconciled again without changes. */
  readonly convergedRequests: number;
  readonly convergedConnections: number;
}

export async function measureRequestCount(stub: StubServer, name: SubjectName): Promise<RequestCount> {
  const { objects } = REQUEST_LOAD;
  await stub.ask('fill', objects);
  const subject = await startSubject(name, 'annotate-once');
  try {
    const atStart = await stub.ask('counts');
    const startedAt = sharedClock();
    await subject.ask('start', stub.kubeconfig);
    // Each object is reconciled twice: once to write it, and once for the watch event of that write.
    await subject.ask('passed', 2 * objects);
    const untilConverged = sharedClock() - startedAt;
    const written = await stub.ask('counts');
    await stub.ask('touchSettings');
    await subject.ask('passed', 3 * objects);
    const converged = await stub.ask('counts');
    return {
      requestsPerReconcile: reconcileRequests(atStart, written) / objects,
      // Includes those for list and watch, which every loop needs.
      connectionsPerReconcile: (written.connections - atStart.connections) / objects,
      untilConverged,
      convergedRequests: reconcileRequests(written, converged),
      convergedConnections: converged.connections - written.connections,
    };
  } finally {
    await subject.stop();
  }
}

/** Lists and watches belong to the loop, not to a reconcile. */
const reconcileRequests = (before: Counts, after: Counts): number =>
  after.patch + after.other - before.patch - before.other;

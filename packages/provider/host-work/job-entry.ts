import { CataloguedError } from '@minifleet/errors';
import { errorFields, keyOf, keyString, type Log } from '@minifleet/kube';
import type { Job, JobRequest } from './host-work.ts';

/** A job as its keeper holds it: what others see of it, and the means to stop it and to wait for its end. */
export interface JobEntry {
  readonly request: JobRequest;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly end: () => void;
  readonly log: Log;
  job: Job;
  /** Why someone wanted it to stop. */
  cancelled: string | undefined;
}

export const isOver = ({ state }: Job): boolean => state.kind !== 'queued' && state.kind !== 'running';

export const uidOf = ({ metadata }: JobRequest['scope']['samm']): string => metadata.uid ?? metadata.name;

interface Birth {
  readonly id: string;
  readonly now: number;
  readonly log: Log;
}

export function newJobEntry(request: JobRequest, { id, now, log }: Birth): JobEntry {
  const { samm } = request.scope;
  const key = keyOf(samm);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  return {
    request: { ...request, scope: asItIs(request.scope) },
    stop: new AbortController(),
    ended,
    end,
    log: log.child({ job: id, machine: keyString(key) }),
    cancelled: undefined,
    job: {
      id,
      key,
      uid: uidOf(samm),
      kind: request.kind,
      plan: request.desired ?? request.plan.fingerprint,
      attempts: request.attempts ?? {},
      password: request.scope.found.access?.password,
      startedAt: now,
      deadlineAt: now,
      heartbeatAt: now,
      state: { kind: 'queued', place: 0 },
      entries: new Map(),
      last: undefined,
    },
  };
}

/** The pass goes on changing its machine; the job's is the one that was shown to it. */
const asItIs = (scope: JobRequest['scope']): JobRequest['scope'] => ({
  ...scope,
  samm: structuredClone(scope.samm),
  found: { ...scope.found },
});

export function logEnd({ job: { state }, log }: JobEntry): void {
  if (state.kind === 'converged') {
    const { outcome, changes, roundTrips, error } = state.report;
    log.info({ outcome, changes, roundTrips, ...(error ? errorFields(error) : {}) }, 'Host job finished');
  } else if (state.kind === 'failed') {
    // What the catalogue does not know is a fault of ours: nobody else will say where it came from.
    const level = state.error instanceof CataloguedError ? 'warn' : 'error';
    log[level](errorFields(state.error), 'Host job failed before producing a report');
  } else {
    log.info({ state: state.kind }, 'Host job finished');
  }
}

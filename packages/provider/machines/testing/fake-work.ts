import type { ObjectKey } from '@minifleet/kube';
import { keyOf } from '@minifleet/kube';
import type { HostWork, Job, JobRequest, JobState } from '../../host-work/host-work.ts';
import { isOver, uidOf } from '../../host-work/job-entry.ts';

/** Jobs that only the test lets run and end. */
export interface FakeWork extends HostWork {
  /** Every job that was asked for, in order. */
  readonly requests: readonly JobRequest[];
  /** Why each was stopped. */
  readonly cancelled: readonly string[];
  /** A job of this machine, whoever asked for it; one that changes the host unless said. */
  put(key: ObjectKey, uid: string, state: JobState, kind?: Job['kind']): void;
  /** Tells whoever listens, as the end of a job does. */
  end(uid: string, state: JobState): void;
}

export function fakeWork(effects: string[] = []): FakeWork {
  const jobs = new Map<string, Job>();
  const requests: JobRequest[] = [];
  const cancelled: string[] = [];
  const listeners = new Set<(key: ObjectKey) => void>();
  const isOpen = (job: Job | undefined): boolean => job !== undefined && !isOver(job);
  const put: (...given: Parameters<FakeWork['put']>) => Job = (key, uid, state, kind = 'converge') => {
    const job: Job = {
      ...{ id: `job-${jobs.size + 1}`, key, uid, kind, plan: '', attempts: {}, entries: new Map() },
      ...{ startedAt: 0, deadlineAt: 0, heartbeatAt: 0, state, last: undefined, password: undefined },
    };
    jobs.set(uid, job);
    return job;
  };
  const end = (uid: string, state: JobState): void => {
    const job = jobs.get(uid);
    if (!job) throw new Error(`there is no job of ${uid}`);
    jobs.set(uid, { ...job, state });
    for (const listener of listeners) listener(job.key);
  };
  return {
    requests,
    cancelled,
    put,
    end,
    of: uid => jobs.get(uid),
    start(request) {
      requests.push(request);
      effects.push(`start ${request.kind}`);
      const { samm } = request.scope;
      return put(keyOf(samm), uidOf(samm), { kind: 'running' });
    },
    async cancel(uid, why) {
      if (!isOpen(jobs.get(uid))) return;
      cancelled.push(why);
      effects.push('cancel');
      end(uid, { kind: 'cancelled', why });
    },
    forget: uid => void jobs.delete(uid),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get running() {
      return [...jobs.values()].filter(isOpen).length;
    },
    queued: 0,
  };
}

import type { Clock } from '@minifleet/clock';
import type { ConvergeReport, StepReport } from '@minifleet/host';
import { type HostJob, type HostJobState, isOver, type JobRequest } from '../jobs/host-job.ts';
import type { HostJobs } from '../jobs/host-jobs.ts';

/** Jobs that end only when the test ends them. */
export interface FakeJobs extends HostJobs {
  readonly requests: readonly JobRequest[];
  readonly cancelled: readonly string[];
  end(host: string, state: HostJobState): void;
}

export function fakeJobs(clock: Pick<Clock, 'now'>): FakeJobs {
  const jobs = new Map<string, HostJob>();
  const ends = new Map<string, number>();
  const requests: JobRequest[] = [];
  const cancelled: string[] = [];
  const listeners = new Set<(host: string) => void>();
  const end = (host: string, state: HostJobState): void => {
    const job = jobs.get(host);
    if (!job) throw new Error(`${host} has no job`);
    jobs.set(host, { ...job, state, heartbeatAt: clock.now() });
    ends.set(host, clock.now());
    for (const listener of listeners) listener(host);
  };
  return {
    requests,
    cancelled,
    end,
    of: host => jobs.get(host),
    start(request) {
      requests.push(request);
      const { name } = request.host.metadata;
      const job: HostJob = {
        id: `job-${requests.length}`,
        host: name,
        kind: request.kind,
        plan: request.desired ?? request.plan.fingerprint,
        attempts: request.attempts ?? {},
        password: request.access.password,
        startedAt: 0,
        deadlineAt: 0,
        heartbeatAt: 0,
        state: { kind: 'running' },
        entries: new Map(),
        last: undefined,
      };
      jobs.set(name, job);
      return job;
    },
    async cancel(host, why) {
      const job = jobs.get(host);
      if (!job || isOver(job)) return;
      cancelled.push(why);
      end(host, { kind: 'cancelled', why });
    },
    forget: host => void jobs.delete(host),
    inspectedAt: () => undefined,
    endedAt: host => ends.get(host),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get running() {
      return [...jobs.values()].filter(job => !isOver(job)).length;
    },
    queued: 0,
  };
}

/** Result of a job after which nothing differs. */
export const converged = (steps: readonly StepReport[] = [], more: Partial<ConvergeReport> = {}): HostJobState => ({
  kind: 'converged',
  report: { outcome: 'converged', steps, changes: 0, notes: [], attempts: {}, ...more },
  hostKey: 'SHA256:x',
  addresses: ['192.0.2.1'],
});

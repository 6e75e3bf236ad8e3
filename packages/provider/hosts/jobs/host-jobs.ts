import { createThrottle, type Duration, formatDuration, minutes, seconds, type Timer } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { type JournalEntry, openSshTransport } from '@minifleet/host';
import { errorFields, type Log } from '@minifleet/kube';
import type { BootstrapSettings } from '../../settings/settings.ts';
import { HOST_JOB_DEADLINE_EXCEEDED } from '../errors.ts';
import { type HostJob, type HostJobState, isOver, type JobRequest } from './host-job.ts';
import { type JobDeps, runJob } from './run-job.ts';

/**
 * Jobs on hosts, outside reconciles: a limited number at once, each with a deadline, a heartbeat and cancellation. A host has at most
 * one job. A process that dies takes its jobs with it; the next one continues from the status and from the ledger on the host.
 */
export interface HostJobs {
  /** Last job of the host in this process, running or ended. */
  of(host: string): HostJob | undefined;
  start(request: JobRequest): HostJob;
  /** Stops the job and waits until the host is free. Without a job it does nothing. */
  cancel(host: string, why: string): Promise<void>;
  /** Forgets an ended job whose result is written. */
  forget(host: string): void;
  /** Time of the last inspection in this process, in milliseconds since 1970. The status does not record it, because it changes nothing. */
  inspectedAt(host: string): number | undefined;
  /** Time at which the last job of the host ended in this process. */
  endedAt(host: string): number | undefined;
  /** Called when a job changes, at most once per second; for an inspection only at its end. */
  onChange(listener: (host: string) => void): () => void;
  readonly running: number;
  readonly queued: number;
}

export interface HostJobsOptions extends Omit<JobDeps, 'openTransport'> {
  readonly log: Log;
  readonly settings: Pick<BootstrapSettings, 'concurrency' | 'deadline'>;
  /** Creates the id of a job, at most 64 characters. */
  readonly ids: () => string;
  /** (default: SSH) */
  readonly openTransport?: JobDeps['openTransport'];
  /** Called once for each job that is over. */
  readonly onEnd?: (job: HostJob) => void;
}

interface Entry {
  readonly request: JobRequest;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly end: () => void;
  readonly log: Log;
  job: HostJob;
  cancelled: string | undefined;
}

/** Shows in the status whether the process behind a job still lives. Each heartbeat is a write. */
const HEARTBEAT_INTERVAL = minutes(1);
const MIN_NOTIFY_INTERVAL = seconds(1);

type Notify = 'now' | 'soon' | 'never';

export function createHostJobs(options: HostJobsOptions): HostJobs {
  const { clock, settings } = options;
  const deps: JobDeps = { openTransport: openSshTransport, ...options };
  const entries = new Map<string, Entry>();
  const inspections = new Map<string, number>();
  const ends = new Map<string, number>();
  const queue: Entry[] = [];
  const listeners = new Set<(host: string) => void>();
  const throttle = createThrottle<string>(clock, MIN_NOTIFY_INTERVAL);
  let running = 0;

  const notify = (host: string) => (): void => {
    for (const listener of listeners) listener(host);
  };
  const change = (entry: Entry, changes: Partial<HostJob>, when: Notify): void => {
    entry.job = { ...entry.job, ...changes };
    if (when !== 'never') throttle[when](entry.job.host, notify(entry.job.host));
  };
  // An inspection writes nothing before its end, so an earlier reconcile would have nothing to do.
  const meanwhile = ({ job }: Entry, when: Notify): Notify => (job.kind === 'inspect' ? 'never' : when);

  /** The caller that requested a job sees in the return value that it started; only a job that waited is reported. */
  const startNext = (requested?: Entry): void => {
    while (running < settings.concurrency) {
      const entry = queue.shift();
      if (!entry) return;
      running += 1;
      void run(entry, entry === requested ? 'never' : meanwhile(entry, 'now'));
    }
  };

  const run = async (entry: Entry, begin: Notify): Promise<void> => {
    const startedAt = clock.now();
    const deadlineAt = startedAt + settings.deadline;
    change(entry, { startedAt, deadlineAt, heartbeatAt: startedAt, state: { kind: 'running' } }, begin);
    entry.log.info({ kind: entry.job.kind, plan: entry.job.plan }, 'Host job started');
    const timers = startTimers(entry);
    const result = await runJob(entry.request, deps, { signal: entry.stop.signal, onEntry: one => record(entry, one) });
    for (const timer of timers) timer.cancel();
    running -= 1;
    const { cancelled } = entry;
    finish(entry, result.kind === 'failed' && cancelled !== undefined ? { kind: 'cancelled', why: cancelled } : result);
  };

  const startTimers = (entry: Entry): readonly Timer[] => {
    const deadline = clock.after(settings.deadline, () =>
      entry.stop.abort(deadlineExceeded(entry.job, settings.deadline)),
    );
    let next: Timer;
    const beat = (): void => {
      next = clock.after(HEARTBEAT_INTERVAL, () => {
        beat();
        change(entry, { heartbeatAt: clock.now() }, meanwhile(entry, 'soon'));
      });
    };
    beat();
    return [deadline, { cancel: () => next.cancel() }];
  };

  const record = (entry: Entry, line: JournalEntry): void => {
    const { step, kind, message } = line;
    entry.log.info({ step, kind }, message);
    const known = step === undefined ? entry.job.entries : new Map([...entry.job.entries, [step, line]]);
    change(entry, { entries: known, last: line, heartbeatAt: clock.now() }, meanwhile(entry, 'soon'));
  };

  const finish = (entry: Entry, state: HostJobState): void => {
    if (state.kind === 'inspected') inspections.set(entry.job.host, clock.now());
    ends.set(entry.job.host, clock.now());
    change(entry, { state, heartbeatAt: clock.now() }, 'now');
    logEnd(entry);
    options.onEnd?.(entry.job);
    entry.end();
    startNext();
  };

  return {
    of(host) {
      const entry = entries.get(host);
      if (entry?.job.state.kind !== 'queued') return entry?.job;
      return { ...entry.job, state: { kind: 'queued', place: queue.indexOf(entry) + 1 } };
    },
    start(request) {
      const { name } = request.host.metadata;
      const known = entries.get(name);
      if (known && !isOver(known.job)) return known.job;
      const entry = newEntry(request, { id: options.ids(), now: clock.now(), log: options.log });
      entries.set(name, entry);
      queue.push(entry);
      startNext(entry);
      return entry.job;
    },
    async cancel(host, why) {
      const entry = entries.get(host);
      if (!entry || isOver(entry.job)) return;
      entry.cancelled = why;
      const place = queue.indexOf(entry);
      if (place >= 0) {
        queue.splice(place, 1);
        finish(entry, { kind: 'cancelled', why });
      }
      entry.stop.abort(new Error(`cancelled: ${why}`));
      await entry.ended;
    },
    forget(host) {
      const entry = entries.get(host);
      if (!entry || !isOver(entry.job)) return;
      entries.delete(host);
      throttle.drop(host);
    },
    inspectedAt: host => inspections.get(host),
    endedAt: host => ends.get(host),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get running() {
      return running;
    },
    get queued() {
      return queue.length;
    },
  };
}

function newEntry(
  request: JobRequest,
  { id, now, log }: { readonly id: string; readonly now: number; readonly log: Log },
): Entry {
  const { name } = request.host.metadata;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  return {
    // The reconcile continues to change its draft.
    request: { ...request, host: structuredClone(request.host) },
    stop: new AbortController(),
    ended,
    end,
    log: log.child({ job: id, host: name }),
    cancelled: undefined,
    job: {
      id,
      host: name,
      kind: request.kind,
      plan: request.desired ?? request.plan.fingerprint,
      attempts: request.attempts ?? {},
      password: request.access.password,
      startedAt: now,
      deadlineAt: now,
      heartbeatAt: now,
      state: { kind: 'queued', place: 0 },
      entries: new Map(),
      last: undefined,
    },
  };
}

const deadlineExceeded = ({ host, last }: HostJob, deadline: Duration): Error =>
  HOST_JOB_DEADLINE_EXCEEDED({ host, deadline: formatDuration(deadline), step: last?.step ?? 'none' });

function logEnd({ job: { state }, log }: Entry): void {
  if (state.kind === 'converged') {
    const { outcome, changes, roundTrips, error } = state.report;
    log.info({ outcome, changes, roundTrips, ...(error ? errorFields(error) : {}) }, 'Host job finished');
  } else if (state.kind === 'failed') {
    // An error outside the catalogue is a bug, and only the log has its stack.
    log[state.error instanceof CataloguedError ? 'warn' : 'error'](
      errorFields(state.error),
      'Host job failed before producing a report',
    );
  } else {
    log.info({ state: state.kind }, 'Host job finished');
  }
}

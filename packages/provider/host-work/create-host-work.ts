import { type Duration, formatDuration, minutes, type Timer } from '@minifleet/clock';
import { type JournalEntry, openSshTransport } from '@minifleet/host';
import { keyString, type Log } from '@minifleet/kube';
import type { BootstrapSettings } from '../program/settings.ts';
import { type ChangeTeller, createChangeTeller } from './change-teller.ts';
import { HOST_JOB_DEADLINE_EXCEEDED } from './errors.ts';
import type { HostWork, Job, JobState } from './host-work.ts';
import { isOver, type JobEntry, logEnd, newJobEntry, uidOf } from './job-entry.ts';
import { dialled, type JobMeans, runJob } from './run-job.ts';

export interface HostWorkOptions extends Pick<JobMeans, 'clock' | 'identity' | 'fence'> {
  readonly log: Log;
  readonly settings: Pick<BootstrapSettings, 'concurrency' | 'deadline'>;
  /** A new id for a job, at most 64 characters. */
  readonly ids: () => string;
  /** Over SSH unless said. */
  readonly openTransport?: JobMeans['openTransport'];
  /** At the vendor's address and port unless said. */
  readonly reach?: JobMeans['reach'];
  /** Told once of each job that is over. */
  readonly onEnd?: (job: Job) => void;
}

// So that whoever reads the status sees whether the process behind a run still lives; each is a write.
const HEARTBEAT_EVERY = minutes(1);

type Telling = keyof Pick<ChangeTeller, 'now' | 'soon'> | 'untold';

/** Jobs in the order they were asked for, so many at once. What ended stays known until it is forgotten. */
export function createHostWork(options: HostWorkOptions): HostWork {
  const { clock, log, settings } = options;
  const means: JobMeans = { reach: dialled, openTransport: openSshTransport, ...options };
  const entries = new Map<string, JobEntry>();
  const queue: JobEntry[] = [];
  const teller = createChangeTeller(clock);
  let running = 0;

  const change = (entry: JobEntry, changes: Partial<Job>, when: Telling): void => {
    entry.job = { ...entry.job, ...changes };
    if (when !== 'untold') teller[when](entry.job.uid, entry.job.key);
  };
  // An inspection leaves no trace before its end: whoever was woken on its way would find nothing to write.
  const onTheWay = ({ job }: JobEntry, when: Telling): Telling => (job.kind === 'inspect' ? 'untold' : when);

  /** Who asked for the job sees in the answer that it has begun; only one that waited is news. */
  const beginNext = (asked?: JobEntry): void => {
    while (running < settings.concurrency) {
      const entry = queue.shift();
      if (!entry) return;
      running += 1;
      void run(entry, entry === asked ? 'untold' : onTheWay(entry, 'now'));
    }
  };

  const run = async (entry: JobEntry, begin: Telling): Promise<void> => {
    const startedAt = clock.now();
    const deadlineAt = startedAt + settings.deadline;
    change(entry, { startedAt, deadlineAt, heartbeatAt: startedAt, state: { kind: 'running' } }, begin);
    entry.log.info({ kind: entry.job.kind, plan: entry.job.plan }, 'Host job started');
    const timers = startTimers(entry);
    const onEntry = (told: JournalEntry): void => note(entry, told);
    const end = await runJob(entry.request, means, { signal: entry.stop.signal, onEntry });
    for (const timer of timers) timer.cancel();
    running -= 1;
    finish(entry, end.kind === 'failed' && entry.cancelled !== undefined ? cancelled(entry.cancelled) : end);
  };

  const startTimers = (entry: JobEntry): readonly Timer[] => {
    const deadline = clock.after(settings.deadline, () => entry.stop.abort(tooLate(entry.job, settings.deadline)));
    let next: Timer;
    const beat = (): void => {
      next = clock.after(HEARTBEAT_EVERY, () => {
        beat();
        change(entry, { heartbeatAt: clock.now() }, onTheWay(entry, 'soon'));
      });
    };
    beat();
    return [deadline, { cancel: () => next.cancel() }];
  };

  const note = (entry: JobEntry, told: JournalEntry): void => {
    const { step, kind, message } = told;
    entry.log.info({ step, kind }, message);
    const seen = step === undefined ? entry.job.entries : new Map([...entry.job.entries, [step, told]]);
    change(entry, { entries: seen, last: told, heartbeatAt: clock.now() }, onTheWay(entry, 'soon'));
  };

  const finish = (entry: JobEntry, state: JobState): void => {
    change(entry, { state, heartbeatAt: clock.now() }, 'now');
    logEnd(entry);
    options.onEnd?.(entry.job);
    entry.end();
    beginNext();
  };

  return {
    of(uid) {
      const entry = entries.get(uid);
      if (entry?.job.state.kind !== 'queued') return entry?.job;
      return { ...entry.job, state: { kind: 'queued', place: queue.indexOf(entry) + 1 } };
    },
    start(request) {
      const uid = uidOf(request.scope.samm);
      const known = entries.get(uid);
      if (known && !isOver(known.job)) return known.job;
      const entry = newJobEntry(request, { id: options.ids(), now: clock.now(), log });
      entries.set(uid, entry);
      queue.push(entry);
      beginNext(entry);
      return entry.job;
    },
    async cancel(uid, why) {
      const entry = entries.get(uid);
      if (!entry || isOver(entry.job)) return;
      entry.cancelled = why;
      const place = queue.indexOf(entry);
      if (place >= 0) {
        queue.splice(place, 1);
        finish(entry, cancelled(why));
      }
      entry.stop.abort(new Error(`cancelled: ${why}`));
      await entry.ended;
    },
    forget(uid) {
      const entry = entries.get(uid);
      if (!entry || !isOver(entry.job)) return;
      entries.delete(uid);
      teller.drop(uid);
    },
    onChange: listener => teller.listen(listener),
    get running() {
      return running;
    },
    get queued() {
      return queue.length;
    },
  };
}

const cancelled = (why: string): JobState => ({ kind: 'cancelled', why });

const tooLate = ({ key, last }: Job, deadline: Duration): Error =>
  HOST_JOB_DEADLINE_EXCEEDED({
    host: keyString(key),
    deadline: formatDuration(deadline),
    step: last?.step ?? 'none',
  });

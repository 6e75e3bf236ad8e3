import type { Timer } from '@minifleet/clock';
import type { Surroundings } from '../../surroundings.ts';
import { type Accounts, type Scope, scopePath } from '../accounts.ts';
import type { Habits } from '../habits.ts';
import type { Runner } from '../runners/runner.ts';
import type { Timers } from '../timers.ts';
import type { Conclusion, Job, QueuedJob } from './job.ts';

export type JobAction = 'queued' | 'in_progress' | 'completed';
type Listener = (job: Job, action: JobAction) => void;

interface Parts {
  readonly around: Surroundings;
  readonly habits: Habits;
  readonly timers: Timers;
  readonly accounts: Accounts;
}

const FIRST_JOB = 70_000_000_000;
const FIRST_RUN = 20_000_000_000;

/** The jobs of every workflow run and what becomes of them. Which runner gets which is decided by the sessions. */
export class Jobs {
  readonly #parts: Parts;
  readonly #jobs = new Map<number, Job>();
  readonly #waits = new Map<Job, Timer>();
  readonly #cancels = new Map<Job, AbortController>();
  readonly #listeners: Listener[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get all(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** Oldest first. */
  get queued(): readonly Job[] {
    return this.all.filter(job => job.status === 'queued');
  }

  find(id: number): Job | undefined {
    return this.#jobs.get(id);
  }

  queue(wanted: QueuedJob): Job {
    const { timers, habits } = this.#parts;
    const cancel = new AbortController();
    const job = this.#create(wanted, cancel.signal);
    this.#jobs.set(job.id, job);
    this.#cancels.set(job, cancel);
    this.#waits.set(
      job,
      timers.after(habits.longestQueued, () => this.finish(job, 'cancelled')),
    );
    this.#changed(job, 'queued');
    return job;
  }

  start(job: Job, runner: Runner): void {
    this.#waits.get(job)?.cancel();
    const { id, name, groupId } = runner;
    const groupName = runner.scope.account.groups.find(group => group.id === groupId)?.name ?? '';
    job.status = 'in_progress';
    job.startedAt = this.#parts.around.clock.now();
    job.runner = { id, name, groupId, groupName };
    runner.job = job;
    this.#changed(job, 'in_progress');
  }

  finish(job: Job, conclusion: Conclusion): void {
    if (job.status === 'completed') return;
    this.#waits.get(job)?.cancel();
    job.status = 'completed';
    // A cancelled run ends so, whatever its runner reports.
    job.conclusion = job.cancelled.aborted ? 'cancelled' : conclusion;
    job.completedAt = this.#parts.around.clock.now();
    this.#changed(job, 'completed');
  }

  /** Ends a waiting job at once; one that runs only when its runner says so. */
  cancel(job: Job): void {
    this.#cancels.get(job)?.abort();
    if (job.status === 'queued') this.finish(job, 'cancelled');
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  #changed(job: Job, action: JobAction): void {
    const detail = [job.name, `(${job.id})`, job.conclusion, job.runner && `on ${job.runner.name}`].filter(Boolean);
    this.#parts.around.journal.add('github', `job ${action}`, detail.join(' '));
    for (const listener of this.#listeners) listener(job, action);
  }

  #create(wanted: QueuedJob, cancelled: AbortSignal): Job {
    const { accounts, around } = this.#parts;
    const number = this.#jobs.size;
    return {
      id: FIRST_JOB + number,
      runId: wanted.runId ?? FIRST_RUN + number,
      scope: repositoryScope(accounts, wanted.repository),
      name: wanted.name ?? 'build',
      workflow: wanted.workflow ?? 'CI',
      branch: wanted.branch ?? 'main',
      sha: around.chance.hex(40),
      labels: wanted.labels,
      takes: wanted.takes,
      ends: wanted.ends,
      createdAt: around.clock.now(),
      status: 'queued',
      conclusion: undefined,
      startedAt: undefined,
      completedAt: undefined,
      runner: undefined,
      scaleSetId: undefined,
      cancelled,
    };
  }
}

function repositoryScope(accounts: Accounts, path: string): Job['scope'] {
  const scope = accounts.findScope(path);
  if (!scope?.repository) throw new Error(`${path} is no repository of this forge`);
  return { account: scope.account, repository: scope.repository };
}

/** Whether a runner of this scope may take jobs of that repository. */
export const covers = (scope: Scope, job: Job): boolean =>
  scope.account === job.scope.account &&
  (scope.repository === undefined || scopePath(scope) === job.scope.repository.fullName);

import type { Timer } from '@minifleet/clock';
import type { WorldDeps } from '../../world-deps.ts';
import { type Accounts, type Scope, scopePath } from '../accounts.ts';
import type { Timers } from '../github-state.ts';
import type { GithubBehaviour } from '../options.ts';
import { GithubApiError } from '../rest/github-api-error.ts';
import type { GithubCall, GithubResponse, GithubRoute } from '../rest/route.ts';
import type { Runner } from '../runners/runner.ts';
import type { Conclusion, Job, JobStartRecord, QueuedJob } from './job.ts';

const PATH = '/_world/jobs';

/** Endpoints for a person to queue a job and see its result. The real GitHub has a web page and a push for that. */
export const jobQueueRoutes: readonly GithubRoute[] = [
  { method: 'POST', path: PATH, as: 'anyone', beside: true, answer: queue },
  { method: 'GET', path: PATH, as: 'anyone', beside: true, answer: list },
];

function queue({ forge, body }: GithubCall): GithubResponse {
  const { repository, labels, script } = body;
  const known = typeof repository === 'string' && forge.accounts.findScope(repository)?.repository;
  if (!known || !isTexts(labels) || labels.length === 0) {
    throw new GithubApiError(422, 'send {"repository": "acme/app", "labels": ["macos-26"], "script": "sw_vers"}');
  }
  const job = forge.jobs.queue({
    repository: known.fullName,
    labels,
    ...(typeof script === 'string' ? { script } : {}),
  });
  return { status: 201, text: `job ${job.id} queued for ${labels.join(', ')}\n`, headers: PLAIN };
}

function list({ forge }: GithubCall): GithubResponse {
  const text = forge.jobs.all.map(job => `${lineOf(job)}\n`).join('') || 'no jobs\n';
  return { status: 200, text, headers: PLAIN };
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

const lineOf = ({ id, name, status, conclusion, labels, runner }: Job): string =>
  `${id} ${name}: ${conclusion ?? status}, ${runner ? `runner ${runner.name}` : `waiting for a runner with ${labels.join(', ')}`}`;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string');

export type JobAction = 'queued' | 'in_progress' | 'completed';
type JobListener = (job: Job, action: JobAction) => void;

interface JobsDeps {
  readonly world: WorldDeps;
  readonly behaviour: GithubBehaviour;
  readonly timers: Timers;
  readonly accounts: Accounts;
}

/** Controls of a job that only GitHub has. */
interface JobControls {
  readonly cancel: AbortController;
  readonly release: AbortController;
  readonly end: PromiseWithResolvers<Conclusion>;
}

const FIRST_JOB = 70_000_000_000;
const FIRST_RUN = 20_000_000_000;

/** The jobs of every workflow run. The sessions decide which runner gets which job. */
export class Jobs {
  readonly #deps: JobsDeps;
  readonly #jobs = new Map<number, Job>();
  readonly #waits = new Map<Job, Timer>();
  readonly #handles = new Map<Job, JobControls>();
  readonly #listeners: JobListener[] = [];

  constructor(deps: JobsDeps) {
    this.#deps = deps;
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

  queue(requested: QueuedJob): Job {
    const { timers, behaviour } = this.#deps;
    const handles = {
      cancel: new AbortController(),
      release: new AbortController(),
      end: Promise.withResolvers<Conclusion>(),
    };
    const job = this.#create(requested, handles);
    this.#jobs.set(job.id, job);
    this.#handles.set(job, handles);
    this.#waits.set(
      job,
      timers.after(behaviour.longestQueued, () => this.finish(job, 'cancelled')),
    );
    this.#changed(job, 'queued');
    return job;
  }

  start(job: Job, runner: Runner): void {
    this.#waits.get(job)?.cancel();
    const { id, name, groupId } = runner;
    const groupName = runner.scope.account.groups.find(group => group.id === groupId)?.name ?? '';
    job.status = 'in_progress';
    job.startedAt = this.#deps.world.clock.now();
    job.runner = { id, name, groupId, groupName };
    runner.job = job;
    this.#changed(job, 'in_progress');
  }

  /** Starts a job on a runner. Returns false if another process has started it, which must then leave the job alone. */
  begin(job: Job, by: JobStartRecord): boolean {
    const [first] = job.begun;
    // The response to the first attempt was lost.
    if (first?.session === by.session) return true;
    job.begun = [...job.begun, by];
    this.#deps.world.journal.add('github', first ? 'job begun again' : 'job begun', `${describe(job)} by ${by.name}`);
    return first === undefined;
  }

  finish(job: Job, conclusion: Conclusion): void {
    if (job.status === 'completed') return;
    this.#waits.get(job)?.cancel();
    job.status = 'completed';
    // A cancelled run is `cancelled`, whatever its runner reports.
    job.conclusion = job.cancelled.aborted ? 'cancelled' : conclusion;
    job.completedAt = this.#deps.world.clock.now();
    this.#changed(job, 'completed');
    this.#handles.get(job)?.end.resolve(job.conclusion);
  }

  /** Ends a queued job at once. A running job ends when its runner reports it. */
  cancel(job: Job): void {
    this.#handles.get(job)?.cancel.abort();
    if (job.status === 'queued') this.finish(job, 'cancelled');
  }

  /** Lets a held job end. */
  release(job: Job): void {
    this.#handles.get(job)?.release.abort();
  }

  onChange(listener: JobListener): void {
    this.#listeners.push(listener);
  }

  #changed(job: Job, action: JobAction): void {
    const detail = [describe(job), job.conclusion, job.runner && `on ${job.runner.name}`].filter(Boolean);
    this.#deps.world.journal.add('github', `job ${action}`, detail.join(' '));
    for (const listener of this.#listeners) listener(job, action);
  }

  #create(requested: QueuedJob, { cancel, release, end }: JobControls): Job {
    const { accounts, world } = this.#deps;
    const number = this.#jobs.size;
    return {
      id: FIRST_JOB + number,
      runId: requested.runId ?? FIRST_RUN + number,
      scope: repositoryScope(accounts, requested.repository),
      name: requested.name ?? 'build',
      workflow: requested.workflow ?? 'CI',
      branch: requested.branch ?? 'main',
      sha: world.chance.hex(40),
      labels: requested.labels,
      script: requested.script,
      takes: requested.takes,
      held: requested.held ?? false,
      ends: requested.ends,
      createdAt: world.clock.now(),
      status: 'queued',
      conclusion: undefined,
      startedAt: undefined,
      completedAt: undefined,
      runner: undefined,
      scaleSetId: undefined,
      log: '',
      begun: [],
      cancelled: cancel.signal,
      released: release.signal,
      ended: end.promise,
    };
  }
}

const describe = (job: Job): string => `${job.name} (${job.id})`;

function repositoryScope(accounts: Accounts, path: string): Job['scope'] {
  const scope = accounts.findScope(path);
  if (!scope?.repository) throw new Error(`${path}: unknown repository`);
  return { account: scope.account, repository: scope.repository };
}

/** Returns whether a runner of the scope may take the job. */
export const covers = (scope: Scope, job: Job): boolean =>
  scope.account === job.scope.account &&
  (scope.repository === undefined || scopePath(scope) === job.scope.repository.fullName);

/** Returns one sentence for each violation: a job started by two processes, or a single-job runner that started two. */
export function duplicateStarts(jobs: readonly Job[]): readonly string[] {
  const twice = jobs
    .filter(job => job.begun.length > 1)
    .map(
      job => `${nameOf(job)} was started by ${job.begun.map(by => `${by.name} (session ${by.session})`).join(', ')}`,
    );
  const byRunner = Map.groupBy(
    jobs.flatMap(job => job.begun.filter(by => by.ephemeral).map(by => ({ by, job }))),
    ({ by }) => runnerName(by),
  );
  const greedy = [...byRunner]
    .map(([runner, taken]) => ({ runner, names: [...new Set(taken.map(({ job }) => nameOf(job)))] }))
    .filter(({ names }) => names.length > 1)
    .map(({ runner, names }) => `${runner} started ${names.join(', ')}`);
  return [...twice, ...greedy];
}

const nameOf = (job: Job): string => `${job.name} (${job.id})`;
const runnerName = ({ name, id }: JobStartRecord): string => `${name} (${id})`;

import { milliseconds, timestamp } from '@minifleet/clock';
import type { GithubState } from '../github-state.ts';
import type { Job } from '../jobs/job.ts';
import { covers } from '../jobs/jobs.ts';
import type { ScaleSetBehaviour } from './behaviour.ts';
import type { MessageSession } from './message-session.ts';
import type { ScaleSet } from './scale-set.ts';

interface AssignmentsDeps extends Pick<GithubState, 'world' | 'timers' | 'jobs'> {
  readonly behaviour: ScaleSetBehaviour;
  /** Offers assigned jobs to idle runners. */
  readonly offer: () => void;
  readonly sessions: () => readonly MessageSession[];
}

const MOST_RETURNS = 3;

/** Assigns jobs to scale sets, and creates the messages for their listeners. */
export class Assignments {
  readonly #deps: AssignmentsDeps;
  readonly #assignments = new Map<Job, Assignment>();
  readonly #returns = new Map<Job, number>();
  #nextRequest = 1_000;

  constructor(deps: AssignmentsDeps) {
    this.#deps = deps;
    deps.jobs.onChange((job, action) => {
      if (action === 'queued') this.distribute();
      else this.#moved(job);
    });
  }

  of(set: ScaleSet): readonly Assignment[] {
    return [...this.#assignments.values()].filter(each => each.setId === set.id);
  }

  /** Assigns queued jobs, oldest first, to sets whose listener has capacity. */
  distribute(): void {
    const { jobs, sessions, behaviour } = this.#deps;
    for (const job of jobs.queued) {
      if (this.#assignments.has(job) || (this.#returns.get(job) ?? 0) > MOST_RETURNS) continue;
      const session = sessions().find(each => serves(each.set, job) && this.of(each.set).length < each.capacity);
      if (!session) continue;
      const assignment = this.#add(job, session);
      if (behaviour.flow === 'direct') this.#assign(assignment);
      else this.#tell('JobAvailable', assignment);
    }
  }

  /** Returns the ids of the jobs that were still available. */
  acquire(set: ScaleSet, requestIds: readonly number[]): readonly number[] {
    const had = this.of(set).filter(each => each.state === 'available' && requestIds.includes(each.requestId));
    for (const assignment of had) this.#assign(assignment);
    return had.map(each => each.requestId);
  }

  /** Releases the jobs of a deleted set, so that they wait for another one. */
  release(set: ScaleSet): void {
    for (const { job } of this.of(set)) this.#drop(job);
    this.distribute();
  }

  #add(job: Job, { set }: MessageSession): Assignment {
    const attempt = this.#returns.get(job) ?? 0;
    const requestId = this.#nextRequest++;
    const assignment: Assignment = {
      requestId,
      job,
      setId: set.id,
      attempt,
      state: 'available',
      assignedAt: undefined,
    };
    this.#assignments.set(job, assignment);
    this.#takeBackLater(assignment);
    return assignment;
  }

  #assign(assignment: Assignment): void {
    assignment.state = 'assigned';
    assignment.assignedAt = this.#deps.world.clock.now();
    assignment.job.scaleSetId = assignment.setId;
    this.#tell('JobAssigned', assignment);
    this.#deps.offer();
  }

  /** An offer that nobody acquires expires silently. An assigned job is reported as canceled and queued again. */
  #takeBackLater(assignment: Assignment): void {
    const { timers, behaviour } = this.#deps;
    const patience = milliseconds(behaviour.assignmentLapse * (assignment.attempt + 1));
    timers.after(patience, () => {
      const { job, state, attempt } = assignment;
      if (this.#assignments.get(job) !== assignment || state === 'running') return;
      this.#returns.set(job, attempt + 1);
      if (state === 'assigned') this.#tell('JobCompleted', assignment, 'canceled');
      this.#drop(job);
      this.distribute();
    });
  }

  #moved(job: Job): void {
    const assignment = this.#assignments.get(job);
    if (!assignment) return;
    if (job.status === 'in_progress') {
      assignment.state = 'running';
      this.#tell('JobStarted', assignment);
      return;
    }
    this.#assignments.delete(job);
    this.#tell('JobCompleted', assignment, resultOf(job));
    this.distribute();
  }

  #drop(job: Job): void {
    this.#assignments.delete(job);
    job.scaleSetId = undefined;
  }

  #tell(type: JobMessageType, assignment: Assignment, result?: string): void {
    const session = this.#deps.sessions().find(each => each.set.id === assignment.setId);
    session?.add(jobEntry(type, assignment, result));
  }
}

const serves = (set: ScaleSet, job: Job): boolean => {
  const group = set.scope.account.groups.find(each => each.id === set.groupId);
  const allowed = group?.repositories?.includes(job.scope.repository.name) ?? true;
  const has = (name: string): boolean => set.labels.some(label => label.name.toLowerCase() === name.toLowerCase());
  return allowed && covers(set.scope, job) && job.labels.every(has);
};

/** The assignment of one job to a scale set. */
export interface Assignment {
  readonly requestId: number;
  readonly job: Job;
  readonly setId: number;
  /** Number of earlier assignments that were withdrawn. */
  readonly attempt: number;
  state: 'available' | 'assigned' | 'running';
  assignedAt: number | undefined;
}

type JobMessageType = 'JobAvailable' | 'JobAssigned' | 'JobStarted' | 'JobCompleted';

/** Encoding of an unset time. */
const NEVER = '0001-01-01T00:00:00Z';
const when = (time: number | undefined): string => (time === undefined ? NEVER : timestamp(time));

/** Renders one entry of a message. Only `JobCompleted` has a `result`: `canceled` is confirmed, other values are opaque. */
function jobEntry(messageType: JobMessageType, assignment: Assignment, result?: string): Record<string, unknown> {
  const { job, requestId, assignedAt } = assignment;
  const { repository } = job.scope;
  const started = messageType === 'JobStarted' || messageType === 'JobCompleted';
  return {
    messageType,
    runnerRequestId: requestId,
    repositoryName: repository.name,
    ownerName: repository.owner,
    jobId: String(job.id),
    jobWorkflowRef: `${repository.fullName}/.github/workflows/ci.yml@refs/heads/${job.branch}`,
    jobDisplayName: job.name,
    workflowRunId: job.runId,
    eventName: 'push',
    requestLabels: job.labels,
    queueTime: when(job.createdAt),
    scaleSetAssignTime: when(assignedAt),
    runnerAssignTime: when(job.startedAt),
    finishTime: when(job.completedAt),
    ...(messageType === 'JobAvailable' && { acquireJobUrl: '' }),
    ...(started && { runnerId: job.runner?.id ?? 0, runnerName: job.runner?.name ?? '' }),
    ...(result !== undefined && { result }),
  };
}

function resultOf({ conclusion }: Job): string {
  if (conclusion === 'success') return 'succeeded';
  return conclusion === 'cancelled' ? 'canceled' : 'failed';
}

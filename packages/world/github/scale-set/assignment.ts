import { timestamp } from '@minifleet/clock';
import type { Job } from '../jobs/job.ts';

/** One job's way through a scale set. */
export interface Assignment {
  readonly requestId: number;
  readonly job: Job;
  readonly setId: number;
  /** How often it was taken back before. */
  readonly attempt: number;
  state: 'available' | 'assigned' | 'running';
  assignedAt: number | undefined;
}

export type EntryType = 'JobAvailable' | 'JobAssigned' | 'JobStarted' | 'JobCompleted';

/** How an unset time is written. */
const NEVER = '0001-01-01T00:00:00Z';
const when = (time: number | undefined): string => (time === undefined ? NEVER : timestamp(time));

/** One entry of a message. `result` belongs to `JobCompleted` alone: `canceled` is confirmed, the rest is opaque. */
export function jobEntry(messageType: EntryType, assignment: Assignment, result?: string): Record<string, unknown> {
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

export function resultOf({ conclusion }: Job): string {
  if (conclusion === 'success') return 'succeeded';
  return conclusion === 'cancelled' ? 'canceled' : 'failed';
}

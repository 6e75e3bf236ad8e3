import { timestamp } from '@minifleet/clock';
import type { Job } from '../../jobs/job.ts';
import { type GithubAddress, nodeId } from './account-view.ts';

const when = (time: number | undefined): string | null => (time === undefined ? null : timestamp(time));

/** Renders a job for the REST API and for `workflow_job` webhooks. */
export function jobView(job: Job, { api, html }: GithubAddress): Record<string, unknown> {
  const repository = `${api}/repos/${job.scope.repository.fullName}`;
  const page = `${html}/${job.scope.repository.fullName}/actions/runs/${job.runId}`;
  return {
    id: job.id,
    run_id: job.runId,
    workflow_name: job.workflow,
    head_branch: job.branch,
    run_url: `${repository}/actions/runs/${job.runId}`,
    run_attempt: 1,
    node_id: nodeId('CR', job.id),
    head_sha: job.sha,
    url: `${repository}/actions/jobs/${job.id}`,
    html_url: `${page}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion ?? null,
    created_at: timestamp(job.createdAt),
    // Never null: a queued job shows its creation time.
    started_at: timestamp(job.startedAt ?? job.createdAt),
    completed_at: when(job.completedAt),
    name: job.name,
    steps: steps(job),
    check_run_url: `${repository}/check-runs/${job.id}`,
    labels: job.labels,
    runner_id: job.runner?.id ?? null,
    runner_name: job.runner?.name ?? null,
    runner_group_id: job.runner?.groupId ?? null,
    runner_group_name: job.runner?.groupName ?? null,
  };
}

/** One step represents all the work. */
function steps(job: Job): readonly Record<string, unknown>[] {
  if (job.status === 'queued' || job.startedAt === undefined) return [];
  const done = job.conclusion === 'success' || job.conclusion === 'cancelled' ? job.conclusion : 'failure';
  return [
    {
      name: 'Set up job',
      status: job.status,
      conclusion: job.conclusion === undefined ? null : done,
      number: 1,
      started_at: when(job.startedAt),
      completed_at: when(job.completedAt),
    },
  ];
}

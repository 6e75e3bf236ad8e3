import type { Job } from '../../jobs/job.ts';
import { GithubApiError, notFound } from '../github-api-error.ts';
import { type GithubCall, type GithubResponse, type GithubRoute, PAGING, page, scopeOf } from '../route.ts';

import { jobView } from '../view/job-view.ts';

const RUN = '/repos/{owner}/{repo}/actions/runs/{run_id}';

export const jobRoutes: readonly GithubRoute[] = [
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/actions/jobs/{job_id}',
    as: { actions: 'read' },
    answer(call) {
      const id = Number(call.parameters['job_id']);
      const job = jobsIn(call).find(each => each.id === id);
      if (!job) throw notFound();
      return { status: 200, body: jobView(job, call.forge.address) };
    },
  },
  { method: 'GET', path: `${RUN}/jobs`, as: { actions: 'read' }, query: ['filter', ...PAGING], answer: listJobs },
  { method: 'POST', path: `${RUN}/cancel`, as: { actions: 'write' }, answer: cancelRun },
];

function jobsIn(call: GithubCall): readonly Job[] {
  const { repository } = scopeOf(call);
  return call.forge.jobs.all.filter(job => job.scope.repository === repository);
}

function jobsOfRun(call: GithubCall): readonly Job[] {
  const found = jobsIn(call).filter(job => job.runId === Number(call.parameters['run_id']));
  if (found.length === 0) throw notFound();
  return found;
}

function listJobs(call: GithubCall): GithubResponse {
  const all = jobsOfRun(call);
  const { items, headers } = page(call, all);
  const body = { total_count: all.length, jobs: items.map(job => jobView(job, call.forge.address)) };
  return { status: 200, headers, body };
}

function cancelRun(call: GithubCall): GithubResponse {
  const open = jobsOfRun(call).filter(job => job.status !== 'completed');
  if (open.length === 0) throw new GithubApiError(409, 'Cannot cancel a workflow run that is completed.');
  for (const job of open) call.forge.jobs.cancel(job);
  return { status: 202, body: {} };
}

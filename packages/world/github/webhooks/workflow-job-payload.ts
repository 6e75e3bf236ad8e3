import type { Installation } from '../auth/apps.ts';
import type { Job } from '../jobs/job.ts';
import type { JobAction } from '../jobs/jobs.ts';
import { type Address, accountView, nodeId, organizationView } from '../rest/view/account-view.ts';
import { jobView } from '../rest/view/job-view.ts';
import { repositoryView } from '../rest/view/repository-view.ts';

export interface PayloadOptions {
  readonly action: JobAction;
  readonly address: Address;
  readonly installation: Installation | undefined;
}

export const workflowJobPayload = (
  job: Job,
  { action, address, installation }: PayloadOptions,
): Record<string, unknown> => ({
  action,
  workflow_job: jobView(job, address),
  repository: repositoryView(job.scope, address),
  organization: organizationView(job.scope.account, address),
  sender: accountView(job.scope.account, address),
  ...(installation && { installation: { id: installation.id, node_id: nodeId('I', installation.id) } }),
});

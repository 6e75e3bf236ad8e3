import { actionsRunner } from '../steps/actions-runner/actions-runner.ts';
import { agentJob } from '../steps/agent-job/agent-job.ts';

/** Steps that let work onto a host: a Node takes guests and a runner takes jobs as soon as they are there. */
export const TAKES_WORK: readonly string[] = [agentJob.id, actionsRunner.id];

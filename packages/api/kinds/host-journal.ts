import { z } from 'zod';
import { kubernetes, time } from '../schema/kubernetes.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';

const fingerprint = z.string().max(128);

const step = z.object({
  name: z.string().min(1).max(63).describe('Name of the step, for example vm-egress.'),
  state: z
    .enum(['Running', 'Done', 'Waiting', 'Failed'])
    .describe('Running, Done, Waiting (until nextAttemptTime), or Failed (until an operator acts).'),
  attempts: z.int().min(0).optional().describe('Attempts on this host with this plan; reset to 0 by a new plan.'),
  nextAttemptTime: time.optional().describe('Time of the next attempt.'),
  errorClass: z
    .enum(['Backoff', 'After', 'UntilSpecChanges', 'Operator'])
    .optional()
    .describe('Event that ends the wait: exponential back-off, a fixed time, a spec change, or an operator.'),
  reason: z.string().max(128).optional().describe('Reason of the last failure, in CamelCase.'),
  message: z.string().max(2048).optional().describe('Remaining differences on the host; never contains a secret.'),
  fingerprint: fingerprint.optional().describe('Fingerprint of the desired value of this step.'),
  durationSeconds: z.number().min(0).optional().describe('Duration of the last attempt in seconds.'),
  lastTransitionTime: time.describe('Time of the last change of state.'),
});

const job = z.object({
  id: z.string().min(1).max(64).describe('Id of the job; log lines on the host and in the controller contain it.'),
  startTime: time.describe('Start time of the job.'),
  deadlineTime: time.describe('Time at which an unfinished job is cancelled.'),
  heartbeatTime: time
    .optional()
    .describe('Time of the last heartbeat. An old one means that the controller died during the job.'),
});

const plan = z.object({
  desired: fingerprint.optional().describe('Fingerprint of the desired plan.'),
  applied: fingerprint.optional().describe('Fingerprint of the plan that was last applied on the host.'),
  failed: fingerprint
    .optional()
    .describe('Fingerprint of the plan that used up its attempts; another desired plan starts with new attempts.'),
  appliedTime: time.optional().describe('Time at which the applied plan was last confirmed on the host.'),
});

/** Progress of host jobs, so that a restarted controller continues and an operator sees the step. */
export const hostJournal = {
  currentStep: z
    .string()
    .max(63)
    .optional()
    .describe('Step that is running or waiting; empty if the host is up to date.'),
  steps: kubernetes(z.array(step).max(64), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .optional()
    .describe('Last outcome of each step on this host.'),
  job: job.optional().describe('Job that is running on the host, if any.'),
  plan: plan.optional().describe('Desired and applied plan of the host. If they differ, a rollout is due.'),
};

export type HostStep = SchemaOutput<typeof step>;
export type HostJobStatus = SchemaOutput<typeof job>;
export type HostPlan = SchemaOutput<typeof plan>;

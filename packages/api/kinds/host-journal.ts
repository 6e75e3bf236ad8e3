import { z } from 'zod';
import { kubernetes, time } from '../schema/kubernetes.ts';
import type { Output } from '../schema/output.ts';

const fingerprint = z.string().max(128);

const step = z.object({
  name: z.string().min(1).max(63).describe('Name of the step, for example pf-anchor.'),
  state: z
    .enum(['Running', 'Done', 'Waiting', 'Failed'])
    .describe('Running now, Done, Waiting for nextAttemptTime, or Failed until someone acts.'),
  attempts: z.int().min(0).optional().describe('Attempts on this host with this plan; a new plan starts again at 0.'),
  nextAttemptTime: time.optional().describe('When the step is tried again.'),
  errorClass: z
    .enum(['Backoff', 'After', 'UntilSpecChanges', 'Operator'])
    .optional()
    .describe('What ends the wait: growing pauses, a fixed time, a changed spec, or a person.'),
  reason: z.string().max(128).optional().describe('Reason of the last failure, in CamelCase.'),
  message: z.string().max(2048).optional().describe('What still differed on the host, in words; never a secret.'),
  fingerprint: fingerprint.optional().describe('Fingerprint of the wanted value that this entry is about.'),
  durationSeconds: z.number().min(0).optional().describe('How long the last attempt took.'),
  lastTransitionTime: time.describe('When state last changed.'),
});

const job = z.object({
  id: z.string().min(1).max(64).describe('Id of the run; log lines on the host and in the controller carry it.'),
  startTime: time.describe('When the run began.'),
  deadlineTime: time.describe('When the run is cancelled if it has not ended.'),
  heartbeatTime: time
    .optional()
    .describe('Last sign of life. An old one means that the controller died under the run.'),
});

const plan = z.object({
  desired: fingerprint.optional().describe('Fingerprint of the plan this host should have.'),
  applied: fingerprint.optional().describe('Fingerprint of the plan that was last seen in force on the host.'),
  failed: fingerprint
    .optional()
    .describe('Fingerprint of the plan that used up its attempts; another desired plan is tried afresh.'),
  appliedTime: time.optional().describe('When the applied plan was last seen in force.'),
});

/** Where host work stands, so that a restarted controller goes on and a person sees the step. */
export const hostJournal = {
  currentStep: z
    .string()
    .max(63)
    .optional()
    .describe('Step that runs or is waited for; empty when the host is as wanted.'),
  steps: kubernetes(z.array(step).max(64), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .optional()
    .describe('Journal: the last outcome of each step on this host.'),
  job: job.optional().describe('The run now under way on the host, if any.'),
  plan: plan
    .optional()
    .describe('What the host should be and what it was seen to be; different means that a roll is due.'),
};

export type HostStep = Output<typeof step>;
export type HostJob = Output<typeof job>;
export type HostPlan = Output<typeof plan>;

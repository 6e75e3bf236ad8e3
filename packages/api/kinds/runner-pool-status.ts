import { z } from 'zod';
import { kubernetes, time } from '../schema/kubernetes.ts';
import type { Output } from '../schema/output.ts';

import { sharedStatus } from './shared-status.ts';

/** Every way a runner can end; each end is one of them, and is counted once. */
export const runnerOutcomes = {
  JobDone: 'It took its one job and ended in order, whatever became of the job.',
  NoJob: 'It ended in order without having had a job.',
  Finished: 'It ended in order; whether it had a job could not be learnt from the forge.',
  Crashed: 'It failed without a job, or after it.',
  JobLost: 'It failed in the middle of a job.',
  NeverStarted: 'It was not online within its time, or its VM could not be started.',
  HostLost: 'Its host was restarted, shut down or went away.',
  Vanished: 'Its Pod was removed by somebody else.',
  Removed: 'The pool took it away while it had no job.',
} as const;

export type RunnerOutcome = keyof typeof runnerOutcomes;

const outcome = z.enum(Object.keys(runnerOutcomes) as [RunnerOutcome, ...RunnerOutcome[]]);
const count = (what: string) => z.int().min(0).optional().describe(what);

const end = z.object({
  runner: z.string().min(1).max(253).describe('Name of the Pod, and of the runner in the forge; no other ever has it.'),
  host: z.string().max(253).optional().describe('Node it ran on.'),
  image: z.string().max(1024).describe('Image of its VM.'),
  outcome: outcome.describe('How it ended.'),
  exitCode: z.int().optional().describe('Exit code of the runner.'),
  reason: z.string().max(128).describe('Why it ended, in CamelCase: of its container, or why it was removed.'),
  log: z.string().max(2048).optional().describe('The last lines of its log.'),
  startedAt: time.optional().describe('When it started.'),
  endedAt: time.describe('When it ended.'),
});

const crashes = z.object({
  image: z.string().max(1024).describe('Image that fails.'),
  failures: z.int().min(1).describe('Rounds of failures without a job done in between.'),
  retryAfter: time.describe('When the next runners are made.'),
});

export const runnerPoolStatus = z.object({
  ...sharedStatus,
  replicas: count('Runners that are alive: idle, busy or on their way.'),
  observedReplicas: count('The same as replicas, under the name that the older system gave it.'),
  selector: z.string().max(256).optional().describe('Selects the Pods of the pool; read by kubectl scale and others.'),
  idle: count('Online and without a job.'),
  busy: count('With a job.'),
  pending: count('Not yet online.'),
  terminating: count('On their way out; they may still hold a VM slot.'),
  stale: count('Of another image than spec.image.'),
  observedImage: z.string().max(1024).optional().describe('spec.image as last seen.'),
  imageRolledAt: time.optional().describe('When spec.image last changed.'),
  lastScaleDownAt: time.optional().describe('When the autoscaler last made the pool smaller.'),
  crashes: crashes.optional().describe('Present while runners of an image fail: new ones wait longer and longer.'),
  ended: kubernetes(z.record(z.string(), z.int().min(0)), { maxProperties: 16 })
    .optional()
    .describe('How many runners ended so far, by outcome.'),
  recentEnds: kubernetes(z.array(end).max(64), { 'x-kubernetes-list-type': 'atomic' })
    .optional()
    .describe('How the last runners ended, newest first.'),
});

export type RunnerPoolStatus = Output<typeof runnerPoolStatus>;
export type RecordedEnd = Output<typeof end>;

import { z } from 'zod';
import { kubernetes, time } from '../schema/kubernetes.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';

import { sharedStatus } from './shared-status.ts';

/** Outcomes of a runner. Each ended runner has exactly one and is counted once. */
export const runnerOutcomes = {
  JobDone: 'The runner ran its job and exited normally, whether the job succeeded or not.',
  NoJob: 'The runner exited normally without a job.',
  Finished: 'The runner exited normally; GitHub did not report whether it ran a job.',
  Crashed: 'The runner failed without a job, or after its job.',
  RunnerOutdated: 'GitHub gives no jobs to the version of the runner; the image needs a newer one.',
  RemovedByGitHub: 'GitHub removed the registration of the runner while it had no job; the runner exited normally.',
  JobLost: 'The runner failed during a job.',
  NeverStarted: 'The runner was not online in time, or its VM could not be started.',
  HostLost: 'The host of the runner restarted, shut down or disappeared.',
  Vanished: 'The Pod of the runner was deleted by another party.',
  Removed: 'The pool removed the runner while it had no job.',
} as const;

export type RunnerOutcome = keyof typeof runnerOutcomes;

const outcome = z.enum(Object.keys(runnerOutcomes) as [RunnerOutcome, ...RunnerOutcome[]]);
const count = (what: string) => z.int().min(0).optional().describe(what);

const end = z.object({
  runner: z.string().min(1).max(253).describe('Name of the Pod and of the runner in GitHub; never reused.'),
  host: z.string().max(253).optional().describe('Node of the runner.'),
  image: z.string().max(1024).describe('Image of the VM.'),
  outcome: outcome.describe('Outcome of the runner.'),
  exitCode: z.int().optional().describe('Exit code of the runner.'),
  reason: z.string().max(128).describe('Reason in CamelCase: from the container, or why the runner was removed.'),
  version: z
    .string()
    .max(64)
    .optional()
    .describe('Version of actions/runner that GitHub refused; only with the outcome RunnerOutdated.'),
  log: z.string().max(2048).optional().describe('Last lines of the log.'),
  startedAt: time.optional().describe('Start time.'),
  endedAt: time.describe('End time.'),
});

const crashes = z.object({
  image: z.string().max(1024).describe('Failing image.'),
  failures: z.int().min(1).describe('Rounds of failures without a completed job in between.'),
  retryAfter: time.describe('Time at which the next runners are created.'),
});

const outdated = z.object({
  image: z.string().max(1024).describe('Image with the outdated runner.'),
  version: z.string().max(64).optional().describe('Version of actions/runner in the image.'),
  since: time.describe('Time of the first refusal by GitHub.'),
  retryAfter: time.describe('Time at which the next trial runner is created.'),
});

export const runnerPoolStatus = z.object({
  ...sharedStatus,
  replicas: count('Number of runners: idle, busy or starting.'),
  observedReplicas: count('Same value as replicas, under its name in the previous system.'),
  selector: z
    .string()
    .max(256)
    .optional()
    .describe('Label selector of the Pods; read by kubectl scale and autoscalers.'),
  idle: count('Runners that are online without a job.'),
  busy: count('Runners with a job.'),
  pending: count('Runners that are not online yet.'),
  terminating: count('Runners that are terminating; they may still occupy a VM slot.'),
  stale: count('Runners with another image than spec.image.'),
  observedImage: z.string().max(1024).optional().describe('Last observed spec.image.'),
  imageRolledAt: time.optional().describe('Time of the last change of spec.image.'),
  lastScaleDownAt: time.optional().describe('Time of the last scale-down by the autoscaler.'),
  crashes: crashes
    .optional()
    .describe('Present while runners of an image fail; new runners are created with exponential back-off.'),
  outdated: outdated
    .optional()
    .describe(
      'Present while GitHub refuses the runner version of the image; one trial runner is created every 10 minutes.',
    ),
  ended: kubernetes(z.record(z.string(), z.int().min(0)), { maxProperties: 16 })
    .optional()
    .describe('Number of ended runners by outcome.'),
  recentEnds: kubernetes(z.array(end).max(64), { 'x-kubernetes-list-type': 'atomic' })
    .optional()
    .describe('Last ended runners, newest first.'),
});

export type RunnerPoolStatus = SchemaOutput<typeof runnerPoolStatus>;
export type RecordedEnd = SchemaOutput<typeof end>;

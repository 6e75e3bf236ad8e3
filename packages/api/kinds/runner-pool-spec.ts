import { z } from 'zod';
import { kubernetes } from '../schema/kubernetes.ts';
import { matching, type ValidationRule, withRules } from '../schema/rule.ts';
import type { SchemaOutput } from '../schema/schema-output.ts';

const account = matching(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/, {
  message: 'account must be the name of a GitHub organization, for example tuist, not a URL and not a repository',
  accepts: ['tuist', 'my-org'],
  rejects: ['https://github.com/tuist', 'tuist/tuist', ''],
});

const secretName = matching(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, {
  message:
    'secretName must be the name of a Secret in the namespace of the pool, for example github-app: lower-case letters, digits, dashes and dots',
  accepts: ['github-app', 'github.app-2'],
  rejects: ['GitHub_App', 'runners/github-app', ''],
});

/** GitHub organization and credentials of a pool. */
const runnerPoolForge = z.object({
  account: withRules(z.string().max(39), [account]).describe('GitHub organization of the runners.'),
  secretName: withRules(z.string().max(253), [secretName]).describe(
    'Secret in this namespace with the GitHub App: keys app-id, installation-id and private-key.',
  ),
  group: z.string().min(1).max(64).optional().describe('Name of the GitHub runner group. Default: the default group.'),
});

const fleetSelector = matching(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/, {
  message:
    'fleetSelector must be a value of the Node label tuist.dev/fleet: at most 63 letters, digits, dashes, dots or underscores, for example runners',
  accepts: ['runners', 'runners-eu.2'],
  rejects: ['our runners', '-runners', ''],
});

const dispatchLabel = matching(/^[^\s,]+$/, {
  message: 'dispatchLabel must be one label of runs-on without spaces and commas, for example macos-26',
  accepts: ['macos-26', 'tuist-macos'],
  rejects: ['self-hosted, macos', 'macos 26', ''],
});

const labelPattern = '([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(=[A-Za-z0-9._-]*)?';
const wholeLabel = new RegExp(`^${labelPattern}$`);
const ours = /^(tuist|minifleet)\.dev\//;

const podLabels: ValidationRule<readonly string[]> = {
  cel: `self.all(label, label.matches(r'^${labelPattern}$') && !label.matches(r'^(tuist|minifleet)[.]dev/'))`,
  message:
    'labels must have the form key=value or key, for example team=ios; the prefixes tuist.dev and minifleet.dev are reserved',
  check: self => self.every(label => wholeLabel.test(label) && !ours.test(label)),
  accepts: [['team=ios', 'example.com/paid'], []],
  rejects: [['team = ios'], ['tuist.dev/runner=false'], ['minifleet.dev/host=a']],
};

const provisioning = z.object({
  startTimeoutSeconds: z
    .int()
    .min(0)
    .default(300)
    .describe(
      'Time from the VM start until the runner must be online in GitHub; after that it is replaced. Image pulls and the wait for a VM slot do not count. 0: no timeout.',
    ),
});

const autoscaling = z.object({
  enabled: z.boolean().default(false).describe('Lets the controller set spec.replicas according to demand.'),
  minWarmPoolFloor: z.int().min(0).default(1).describe('Idle runners in addition to those that jobs need.'),
  maxReplicas: z
    .int()
    .min(0)
    .default(0)
    .describe('Maximum of spec.replicas. 0: the autoscaler does not change spec.replicas.'),
  scaleDownCooldownSeconds: z
    .int()
    .min(0)
    .default(300)
    .describe('Time for which demand must be lower before the pool scales down.'),
});

const rollout = z.object({
  maxConcurrentPercent: z
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe('Percentage of replicas that may be unavailable during an image rollout; at least one runner.'),
});

export const runnerPoolSpec = z.object({
  replicas: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe('Desired number of runners: idle, busy or starting. Set by the autoscaler if it is enabled.'),
  image: z
    .string()
    .min(1)
    .max(1024)
    .describe(
      'Tart image of the VM, with actions-runner in the home directory of its user. Any change of this text starts a rollout.',
    ),
  fleetSelector: withRules(z.string().max(63), [fleetSelector]).describe(
    'Value of the Node label tuist.dev/fleet. Pools with the same value share its Macs.',
  ),
  dispatchLabel: withRules(z.string().max(256), [dispatchLabel]).describe(
    'Label in runs-on that selects this pool; every runner has it in addition to runnerLabels.',
  ),
  runnerLabels: kubernetes(z.array(z.string().min(1).max(256)).min(1).max(50), {
    'x-kubernetes-list-type': 'set',
  }).describe('Labels of the runners in GitHub, for example self-hosted, macOS, ARM64.'),
  labels: withRules(kubernetes(z.array(z.string().min(1).max(317)).max(32), { 'x-kubernetes-list-type': 'set' }), [
    podLabels,
  ])
    .optional()
    .describe('Labels of the Pods, each in the form key=value.'),
  os: z
    .enum(['darwin', 'linux'])
    .default('darwin')
    .describe('Operating system. Only darwin is supported; a pool with linux is accepted but reports OSNotSupported.'),
  podCPUMilli: z.int().min(1000).max(1024000).default(4000).describe('CPU of a VM in millicores.'),
  podMemoryMB: z
    .int()
    .min(1024)
    .max(1048576)
    .default(7168)
    .describe('Memory of a VM in MiB. Two VMs of the default size fit on a Mac with 16 GB.'),
  idleTimeoutSeconds: z
    .int()
    .min(0)
    .optional()
    .describe('A runner that is idle for this long is replaced. Default: never; 0 also means never.'),
  provisioning: provisioning.prefault({}).describe('Start timeout.'),
  autoscaling: autoscaling.prefault({}).describe('Autoscaling of spec.replicas.'),
  rollout: rollout.prefault({}).describe('Rollout of a new image.'),
  // Not required, so that a pool of the previous system stays valid and reports in its conditions what is missing.
  forge: runnerPoolForge
    .optional()
    .describe('GitHub organization and credentials. The pool creates no runners without it.'),
});

export type RunnerPoolSpec = SchemaOutput<typeof runnerPoolSpec>;

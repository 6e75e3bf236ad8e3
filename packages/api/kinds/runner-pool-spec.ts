import { z } from 'zod';
import { kubernetes } from '../schema/kubernetes.ts';
import type { Output } from '../schema/output.ts';
import { matching, type Rule, withRules } from '../schema/rule.ts';

const account = matching(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/, {
  message: 'account is the name of a GitHub organisation, for example tuist: no URL and no repository',
  accepts: ['tuist', 'my-org'],
  rejects: ['https://github.com/tuist', 'tuist/tuist', ''],
});

const secretName = matching(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, {
  message:
    'secretName is the name of a Secret in the namespace of the pool, for example github-app: lower-case letters, digits, dashes and dots',
  accepts: ['github-app', 'github.app-2'],
  rejects: ['GitHub_App', 'runners/github-app', ''],
});

/** Who gives the jobs of a pool. */
const runnerPoolForge = z.object({
  account: withRules(z.string().max(39), [account]).describe('GitHub organisation the runners register with.'),
  secretName: withRules(z.string().max(253), [secretName]).describe(
    'Secret in this namespace with the GitHub App: keys app-id, installation-id and private-key.',
  ),
  group: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Group of runners in the forge, by its name. Absent: the default one.'),
});

export type RunnerPoolForge = Output<typeof runnerPoolForge>;

const fleetSelector = matching(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/, {
  message:
    'fleetSelector is a value of the Node label tuist.dev/fleet: at most 63 letters, digits, dashes, dots or underscores, for example runners',
  accepts: ['runners', 'runners-eu.2'],
  rejects: ['our runners', '-runners', ''],
});

const dispatchLabel = matching(/^[^\s,]+$/, {
  message: 'dispatchLabel is one label as workflows write it in runs-on, for example macos-26: no spaces and no commas',
  accepts: ['macos-26', 'tuist-macos'],
  rejects: ['self-hosted, macos', 'macos 26', ''],
});

const labelPattern = '([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(=[A-Za-z0-9._-]*)?';
const wholeLabel = new RegExp(`^${labelPattern}$`);
const ours = /^(tuist|minifleet)\.dev\//;

const podLabels: Rule<readonly string[]> = {
  cel: `self.all(label, label.matches(r'^${labelPattern}$') && !label.matches(r'^(tuist|minifleet)[.]dev/'))`,
  message: 'labels are written key=value or key, for example team=ios; those of tuist.dev and minifleet.dev are ours',
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
      'A runner whose VM has had this long and is not online in the forge is replaced. Pulls of images and waits for a VM slot do not count. 0: never.',
    ),
});

const autoscaling = z.object({
  enabled: z.boolean().default(false).describe('Let the controller write spec.replicas by the jobs that wait.'),
  minWarmPoolFloor: z.int().min(0).default(1).describe('Idle runners to hold beyond those that jobs need.'),
  maxReplicas: z.int().min(0).default(0).describe('The most replicas. 0: spec.replicas is left as it is.'),
  scaleDownCooldownSeconds: z
    .int()
    .min(0)
    .default(300)
    .describe('Demand must have been lower for this long before the pool gets smaller.'),
});

const rollout = z.object({
  maxConcurrentPercent: z
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe('Share of replicas that may be missing while another image is rolled out; at least one.'),
});

export const runnerPoolSpec = z.object({
  replicas: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe('Runners to hold alive: idle, busy or on their way. Written by the autoscaler where it is enabled.'),
  image: z
    .string()
    .min(1)
    .max(1024)
    .describe('Tart image of the VM, with actions-runner in the home of its user. Another text is another image.'),
  fleetSelector: withRules(z.string().max(63), [fleetSelector]).describe(
    'Runs on Nodes with this value of the label tuist.dev/fleet. Pools that name the same share its Macs.',
  ),
  dispatchLabel: withRules(z.string().max(256), [dispatchLabel]).describe(
    'The label in runs-on that leads jobs to this pool; every runner has it beside runnerLabels.',
  ),
  runnerLabels: kubernetes(z.array(z.string().min(1).max(256)).min(1).max(50), {
    'x-kubernetes-list-type': 'set',
  }).describe('Labels of the runners in the forge, for example self-hosted, macOS, ARM64.'),
  labels: withRules(kubernetes(z.array(z.string().min(1).max(317)).max(32), { 'x-kubernetes-list-type': 'set' }), [
    podLabels,
  ])
    .optional()
    .describe('Labels put on the Pods, each as key=value.'),
  os: z
    .enum(['darwin', 'linux'])
    .default('darwin')
    .describe('Only darwin is run; a pool of linux is taken and says so in its conditions.'),
  podCPUMilli: z.int().min(1000).max(1024000).default(8000).describe('CPU of a VM in thousandths.'),
  podMemoryMB: z.int().min(1024).max(1048576).default(14336).describe('Memory of a VM in MiB.'),
  idleTimeoutSeconds: z
    .int()
    .min(0)
    .optional()
    .describe('A runner without a job for this long is replaced by a fresh one. Absent or 0: never.'),
  provisioning: provisioning.prefault({}).describe('How long a start may take.'),
  autoscaling: autoscaling.prefault({}).describe('How the pool follows demand.'),
  rollout: rollout.prefault({}).describe('How another image is rolled out.'),
  // Not required, so that a pool of the older system can be taken over and then be told what it lacks.
  forge: runnerPoolForge.optional().describe('Where the runners register. Without it none is made.'),
});

export type RunnerPoolSpec = Output<typeof runnerPoolSpec>;

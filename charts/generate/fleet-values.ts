import { scalewayAppleSiliconMachineTemplate } from '@minifleet/api';
import { schemaIn } from './kind-schema.ts';
import { githubApp } from './secret-values.ts';
import { choice, count, type Fields, flag, group, type JsonSchema, text } from './value.ts';

const machineSchema = schemaIn(scalewayAppleSiliconMachineTemplate, 'spec', 'template', 'spec');
const runnerSchema = schemaIn(scalewayAppleSiliconMachineTemplate, 'spec', 'template', 'spec', 'ghActionsRunner');

const says = (schema: Readonly<Record<string, JsonSchema>>, name: string): string =>
  String(schema[name]?.['description']);
const preset = (schema: Readonly<Record<string, JsonSchema>>, name: string): string =>
  String(schema[name]?.['default']);

/** Values of a fleet, with their defaults. */
export const fleetFields: Fields = {
  enabled: flag(false, 'Whether there is such a fleet.'),
  name: text(
    '',
    'Name of its MachineDeployment, and of the Node label `tuist.dev/fleet`; made from that of the release unless given.',
    {
      maxLength: 63,
      pattern: '^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$',
    },
  ),
  replicas: count(1, 'How many Macs. Not rendered where `autoscaling.enabled`.'),
  autoscaling: group(
    'Lets others (`kubectl scale`, the cluster autoscaler) say how many Macs; the chart then never writes it.',
    {
      enabled: flag(false, 'The number of Macs is not the chart’s. What a fleet has when this is turned on it keeps.'),
      minSize: count(0, 'The fewest, and the number a new fleet begins with.'),
      maxSize: count(0, 'The most.'),
    },
  ),
  adoptPoolPrefix: text('tuist-pool-', says(machineSchema, 'adoptPoolPrefix')),
  machine: group('What its Macs are. Another value is another template, and reaches Macs as `rollout` says.', {
    type: text(preset(machineSchema, 'type'), says(machineSchema, 'type')),
    zone: text(preset(machineSchema, 'zone'), says(machineSchema, 'zone')),
    os: text(preset(machineSchema, 'os'), says(machineSchema, 'os')),
    hostCPU: count(0, says(machineSchema, 'hostCPU')),
    hostMemoryMB: count(0, says(machineSchema, 'hostMemoryMB')),
    hostRelease: choice(['Return', 'Retain'], says(machineSchema, 'hostRelease')),
  }),
  rollout: group('How Macs come to another template.', {
    strategy: choice(
      ['OnDelete', 'RollingUpdate'],
      '`OnDelete`: you delete Machines, one by one, when their jobs allow it. `RollingUpdate`: core replaces them, which wipes each Mac.',
    ),
    maxUnavailable: count(1, 'For `RollingUpdate`: Macs replaced at once. There is never a spare one to surge onto.', {
      minimum: 1,
    }),
  }),
  drain: group('Before a Machine is deleted its Node is drained; Pods of runners are waited for.', {
    timeoutSeconds: count(
      0,
      'After this the Machine goes all the same, and a job that still runs is lost. 0: wait without end.',
    ),
  }),
  healthCheck: group(
    'A MachineHealthCheck replaces a Mac whose Node is lost: it is wiped, and another is taken from the pool.',
    {
      enabled: flag(true, 'Whether there is one.'),
      lostAfterSeconds: count(900, 'How long the Node must have been not Ready, or not heard of.', { minimum: 60 }),
      startupTimeoutSeconds: count(
        0,
        'A Mac without a Node for this long is replaced. 0: never; the provider itself gives up on Macs.',
      ),
      maxUnhealthy: text(
        '40%',
        'With more lost than this nothing is replaced: then it is the network, or the cluster.',
      ),
    },
  ),
  ghActionsRunner: group(
    'Makes the Macs builders: they take GitHub Actions jobs themselves, for baking images, and no Pods.',
    {
      enabled: flag(false, 'Whether they are builders.'),
      ghOrg: text('', says(runnerSchema, 'ghOrg')),
      ghRunnerLabels: text(preset(runnerSchema, 'ghRunnerLabels'), says(runnerSchema, 'ghRunnerLabels')),
      ghRunnerVersion: text('', says(runnerSchema, 'ghRunnerVersion')),
      waitForRunner: flag(true, 'A Machine is Ready only while its runner is online.'),
      githubApp: githubApp('BUILDERS_FLEET_GITHUB_APP'),
    },
  ),
};

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

/** Defaults that the API server sets if the chart renders no value. */
const defaults = (name: string): string =>
  `Default of a ScalewayAppleSiliconMachine: ${preset(machineSchema, name)}. Default of a MacMachine: any.`;

/** Values of a fleet, with their defaults. */
export const fleetFields: Fields = {
  enabled: flag(false, 'Create the fleet.'),
  name: text(
    '',
    'Name of the MachineDeployment and value of the Node label `tuist.dev/fleet` (default: derived from the release name).',
    {
      maxLength: 63,
      pattern: '^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$',
    },
  ),
  replicas: count(1, 'Number of Macs. Not rendered with `autoscaling.enabled`.'),
  autoscaling: group(
    'Scaling by others (`kubectl scale`, the cluster autoscaler); the chart then never sets the number of Macs.',
    {
      enabled: flag(
        false,
        'Leave the number of Macs to others. The fleet keeps its current number when this is turned on.',
      ),
      minSize: count(0, 'Minimum, and initial number of a new fleet.'),
      maxSize: count(0, 'Maximum.'),
    },
  ),
  adoptPoolPrefix: text(
    'tuist-pool-',
    `For \`machine.kind: ScalewayAppleSiliconMachine\`. ${says(machineSchema, 'adoptPoolPrefix')}`,
  ),
  pool: text('', 'Required for `machine.kind: MacMachine`: pool of the MacHosts that the fleet claims.'),
  machine: group(
    'Properties of the Macs. A change creates a new template, which reaches Macs according to `rollout`.',
    {
      kind: choice(
        ['ScalewayAppleSiliconMachine', 'MacMachine'],
        '`ScalewayAppleSiliconMachine`: Macs rented from Scaleway, in `zone`. `MacMachine`: every Mac of `pool`, such as your own.',
      ),
      type: text('', `${says(machineSchema, 'type')} ${defaults('type')}`),
      zone: text(preset(machineSchema, 'zone'), `For ScalewayAppleSiliconMachine. ${says(machineSchema, 'zone')}`),
      os: text('', `${says(machineSchema, 'os')} ${defaults('os')}`),
      hostCPU: count(0, says(machineSchema, 'hostCPU')),
      hostMemoryMB: count(0, says(machineSchema, 'hostMemoryMB')),
      hostRelease: choice(['Return', 'Retain'], says(machineSchema, 'hostRelease')),
    },
  ),
  rollout: group('Rollout of a new template to existing Macs.', {
    strategy: choice(
      ['OnDelete', 'RollingUpdate'],
      '`OnDelete`: you delete Machines one by one. `RollingUpdate`: Cluster API replaces them. Each replacement wipes the Mac.',
    ),
    maxUnavailable: count(
      1,
      'For `RollingUpdate`: number of Macs replaced at a time. There is no surge, because there are no spare Macs.',
      {
        minimum: 1,
      },
    ),
  }),
  drain: group('Drain of the Node before its Machine is deleted, which waits for runner Pods.', {
    timeoutSeconds: count(
      0,
      'Timeout in seconds, after which the Machine is deleted and running jobs are lost. 0: no timeout.',
    ),
  }),
  healthCheck: group(
    'A MachineHealthCheck that replaces a Mac whose Node is lost: the Mac is wiped, and another is adopted from the pool.',
    {
      enabled: flag(true, 'Create the MachineHealthCheck.'),
      lostAfterSeconds: count(900, 'Seconds after which a Node that is not Ready or not responding counts as lost.', {
        minimum: 60,
      }),
      startupTimeoutSeconds: count(
        0,
        'Seconds after which a Mac without a Node is replaced. 0: never; the provider replaces such Macs itself.',
      ),
      maxUnhealthy: text(
        '40%',
        'No Mac is replaced if more than this are lost, because the cause is then the network or the cluster.',
      ),
    },
  ),
  ghActionsRunner: group(
    'Makes the Macs builders: they run GitHub Actions jobs that bake images, directly on macOS, and no Pods.',
    {
      enabled: flag(false, 'Make the Macs builders.'),
      ghOrg: text('', says(runnerSchema, 'ghOrg')),
      ghRunnerLabels: text(preset(runnerSchema, 'ghRunnerLabels'), says(runnerSchema, 'ghRunnerLabels')),
      ghRunnerVersion: text('', says(runnerSchema, 'ghRunnerVersion')),
      waitForRunner: flag(true, 'Report a Machine as Ready only while its runner is online.'),
      githubApp: githubApp('BUILDERS_FLEET_GITHUB_APP'),
    },
  ),
};

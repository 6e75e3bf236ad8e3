/** Every value of charts/minifleet. */
import { runnerPool } from '@minifleet/api';
import { KUBELET_VERSION } from '../../packages/tart-kubelet/node/node-settings.ts';
import { fleetFields } from './fleet-values.ts';
import { plainSchema, schemaIn } from './kind-schema.ts';
import { githubApp, secretValues } from './secret-values.ts';
import { choice, count, type Field, type Fields, flag, group, groupSchema, list, map, text } from './value.ts';

/** Path of the Macs' agent in the provider image. */
const AGENT = '/usr/local/share/minifleet/tart-kubelet-darwin-arm64';

/** A fleet sets only what differs from `fleetDefaults`; its schema is in the definitions of the whole file. */
const fleet = (preset: Readonly<Record<string, unknown>>, says: string): Field => ({
  says: `${says} Fields: those of \`fleetDefaults\`.`,
  preset,
  schema: { $ref: '#/definitions/fleet' },
});

const poolSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['image'],
  properties: Object.fromEntries(
    Object.entries(schemaIn(runnerPool, 'spec')).map(([name, schema]) => [name, plainSchema(schema)]),
  ),
};

const program = (image: string, memory: string): Fields => ({
  replicas: count(2, 'How many; one works, the others wait to take over.', { minimum: 1 }),
  image: group('Its image, as scripts/build-containers.ts builds it.', {
    repository: text(image, 'Name of the image, below `imageRegistry` where that is given.'),
    tag: text('', 'Version; that of the chart unless given.'),
    pullPolicy: choice(['IfNotPresent', 'Always', 'Never'], 'When it is pulled.'),
  }),
  logLevel: choice(['info', 'debug', 'warn', 'error'], 'How much it logs.'),
  flags: map({}, `More flags, without the dashes: \`${image} --help\` lists them.`, {
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  }),
  resources: map(
    { requests: { cpu: '100m', memory }, limits: { memory: '512Mi' } },
    'What it asks for, and may have at most.',
  ),
  nodeSelector: map({}, 'Nodes it may run on; never a Mac.'),
  tolerations: list([], 'Taints it tolerates.'),
  affinity: map({}, 'Where it is put; replicas keep apart unless this is given.'),
});

export const chartValues: Fields = {
  imageRegistry: text('', 'Where you pushed the images, for example ghcr.io/acme.'),
  imagePullSecrets: list([], 'Secrets that let the images be pulled, for example `[{name: registry}]`.'),
  provider: group('The Cluster API provider: finds Macs, makes them Nodes, gives them back.', {
    enabled: flag(true, 'Whether it runs.'),
    ...program('minifleet-provider', '128Mi'),
    hosts: map({ agent: { binary: AGENT } }, 'What is wanted of every Mac: the part under `fleet` of docs/hosts.md.'),
    artifacts: map(
      {},
      'A volume with files that `hosts` names (Tart, GitHub’s runner), at /var/lib/minifleet/artifacts: for example `{persistentVolumeClaim: {claimName: artifacts}}`.',
    ),
  }),
  runners: group('The runners program: keeps the pools of `runnerPools` warm.', {
    enabled: flag(true, 'Whether it runs.'),
    ...program('minifleet-runners', '96Mi'),
  }),
  cluster: group('The Cluster of Cluster API that stands for the one the chart is installed in.', {
    name: text('', 'Its name; that of the release unless given.'),
    controlPlaneEndpoint: group('Where Macs reach the API server: an address from outside the cluster.', {
      host: text('', 'Name or address. Needed by every fleet.'),
      port: count(6443, 'Port.', { minimum: 1, maximum: 65535 }),
    }),
    kubeletVersion: text(
      KUBELET_VERSION,
      'What the agents report as their kubelet’s version; it comes with the chart.',
    ),
    kubeconfig: group('Secret `<cluster>-kubeconfig`, by which Cluster API core reaches the cluster it is in.', {
      source: choice(
        ['minted', 'existing', 'external'],
        '`minted`: the provider makes it and renews it. `existing`: you do. `external`: the External Secrets Operator does.',
      ),
      external: group('Where the operator finds it.', {
        item: text('capi-workload-kubeconfig', 'Key of the item in the store.'),
        field: text('kubeconfig', 'Field of the item.'),
      }),
    }),
  }),
  scaleway: group('Macs rented from Scaleway.', {
    enabled: flag(false, 'Whether the provider looks there for Macs.'),
    secret: secretValues('Its API key.', 'SCALEWAY_API', {
      'access-key': 'access key',
      'secret-key': 'secret key',
      'project-id': 'project the Macs are in',
    }),
  }),
  inventory: group('Macs of your own.', {
    hosts: list([], 'One entry a Mac: name, zone, address, user, type, os; see packages/vendors/README.md.', {
      items: { type: 'object', required: ['name', 'zone', 'address', 'user', 'type', 'os'] },
    }),
  }),
  externalSecrets: group('For every `source: external`.', {
    store: group('Where secrets come from.', {
      name: text('', 'Name of the store.'),
      kind: choice(['ClusterSecretStore', 'SecretStore'], 'Its kind.'),
    }),
    refreshInterval: text('1h', 'How often they are read again.'),
  }),
  fleetDefaults: group('What holds for every fleet that does not say otherwise.', fleetFields),
  macosFleet: fleet({ enabled: false }, 'Macs for workloads of your own.'),
  runnersFleet: fleet({ enabled: false }, 'Macs for runners.'),
  buildersFleet: fleet({ enabled: false, ghActionsRunner: { enabled: true } }, 'Macs that bake images.'),
  fleets: map(
    {},
    'More fleets, by name. Fields: those of `fleetDefaults`; one that is written here is enabled unless it says otherwise.',
    {
      propertyNames: { pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' },
      additionalProperties: { $ref: '#/definitions/fleet' },
    },
  ),
  runnerPools: group('Warm VMs that each take one job.', {
    namespace: text(
      'tuist-runners',
      'Where pools and their Pods are. It is made by the chart, and kept when that goes.',
      { minLength: 1 },
    ),
    account: text('', 'GitHub organisation the runners register with.'),
    githubApp: githubApp('RUNNERS_GITHUB_APP'),
    pools: map(
      {},
      'Pools by name. Fields: those of `spec` of a RunnerPool, of which only `image` must be given. `replicas` is not rendered where `autoscaling.enabled`.',
      { additionalProperties: poolSchema },
    ),
  }),
  drainRule: group('A MachineDrainRule: a Mac that leaves waits for the jobs on it.', {
    enabled: flag(true, 'Whether there is one.'),
  }),
  fleetGate: group(
    'A Job after install and upgrade that ends well only when every fleet is Available, and logs what each Mac waits for.',
    {
      enabled: flag(
        true,
        'Whether there is one, where there is a fleet. Neither Helm waits for a MachineDeployment by itself, --wait or not.',
      ),
      timeoutSeconds: count(
        1800,
        'How long fleets may take; give Helm a longer --timeout, which is 5 min unless said.',
        { minimum: 1 },
      ),
    },
  ),
  monitoring: group('For the Prometheus Operator, and for Grafana.', {
    enabled: flag(false, 'A ServiceMonitor and a PrometheusRule for each program.'),
    labels: map({}, 'Labels by which Prometheus selects them, for example `{release: prometheus}`.'),
    interval: text('30s', 'How often metrics are read.'),
    dashboards: group('Dashboards as ConfigMaps.', {
      enabled: flag(false, 'Whether there are any.'),
      labels: map({ grafana_dashboard: '1' }, 'Labels by which Grafana’s sidecar finds them.'),
    }),
  }),
};

export const fleetSchema = groupSchema(group('A fleet of Macs.', fleetFields));

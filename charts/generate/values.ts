/** Every value of charts/minifleet. */
import { macHost, runnerPool } from '@minifleet/api';
import { defaultFleetFile } from '@minifleet/spec-file';
import { KUBELET_VERSION } from '@minifleet/tart-kubelet/testing/node';
import { fleetFields } from './fleet-values.ts';
import { plainSchema, schemaIn } from './kind-schema.ts';
import { githubApp, secretValues } from './secret-values.ts';
import { choice, count, type Field, type Fields, flag, group, groupSchema, list, map, text } from './value.ts';

/** A fleet sets only what differs from `fleetDefaults`; its schema is in the definitions of the whole file. */
const fleet = (preset: Readonly<Record<string, unknown>>, says: string): Field => ({
  says: `${says} Fields: see \`fleetDefaults\`.`,
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

const ownedSchema = schemaIn(macHost, 'spec', 'source', 'owned');

/** An owned Mac: name, pool, and the fields of `spec.source.owned` of its MacHost. */
const inventoryHost = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'pool', 'address', 'user'],
  properties: {
    name: {
      type: 'string',
      description: 'Name of the MacHost, for example mini-01.',
      maxLength: 63,
      pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
    },
    pool: plainSchema(schemaIn(macHost, 'spec')['pool'] ?? {}),
    ...Object.fromEntries(Object.entries(ownedSchema).map(([name, schema]) => [name, plainSchema(schema)])),
  },
};

const program = (image: string, memory: string): Fields => ({
  replicas: count(2, 'Number of replicas. One is leader, the others are on standby.', { minimum: 1 }),
  image: group('Container image, built by scripts/build-containers.ts.', {
    repository: text(image, 'Image name, appended to `imageRegistry` if that is set.'),
    tag: text('', 'Image tag (default: the version of the chart).'),
    digest: text('', 'Image digest, which replaces the tag, for example sha256:0123….', {
      pattern: '^(sha256:[0-9a-f]{64})?$',
    }),
    pullPolicy: choice(['IfNotPresent', 'Always', 'Never'], 'Image pull policy.'),
  }),
  logLevel: choice(['info', 'debug', 'warn', 'error'], 'Log level.'),
  flags: map({}, `Additional flags without the dashes; \`${image} --help\` lists them.`, {
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  }),
  resources: map({ requests: { cpu: '100m', memory }, limits: { memory: '512Mi' } }, 'Resource requests and limits.'),
  nodeSelector: map({}, 'Node selector. The program never runs on a Mac.'),
  tolerations: list([], 'Tolerations.'),
  affinity: map({}, 'Affinity (default: replicas on different Nodes).'),
});

export const chartValues: Fields = {
  imageRegistry: text('', 'Registry of the images, for example ghcr.io/acme.'),
  imagePullSecrets: list([], 'Image pull secrets, for example `[{name: registry}]`.'),
  provider: group('The Cluster API provider: adopts Macs, joins them as Nodes, and returns them.', {
    enabled: flag(true, 'Install the provider.'),
    ...program('minifleet-provider', '128Mi'),
    hosts: map(
      defaultFleetFile(),
      'Configuration of every Mac: the section `fleet` of docs/hosts.md. The default names files of the provider image.',
    ),
    reclaimOrphans: flag(
      false,
      'Return a host to its pool if its machine no longer exists. By default, the provider only reports such hosts (metric `minifleet_orphan_hosts`).',
    ),
    artifacts: map(
      {},
      'Volume with files that `hosts` refers to (Tart, GitHub’s runner), mounted at /var/lib/minifleet/artifacts, for example `{persistentVolumeClaim: {claimName: artifacts}}`.',
    ),
  }),
  runners: group('The runner controller, which reconciles the pools of `runnerPools`.', {
    enabled: flag(true, 'Install the runner controller.'),
    ...program('minifleet-runners', '96Mi'),
  }),
  cluster: group('The Cluster object of Cluster API that represents the cluster the chart is installed in.', {
    name: text('', 'Name of the Cluster (default: the release name).'),
    controlPlaneEndpoint: group('Address of the API server for the Macs, reachable from outside the cluster.', {
      host: text('', 'Host name or IP address. Required by every fleet.'),
      port: count(6443, 'Port.', { minimum: 1, maximum: 65535 }),
    }),
    kubeletVersion: text(KUBELET_VERSION, 'Kubelet version that the agents report. It belongs to the chart version.'),
    kubeconfig: group('Secret `<cluster>-kubeconfig`, with which Cluster API reaches its own cluster.', {
      source: choice(
        ['minted', 'existing', 'external'],
        '`minted`: the provider creates and renews it. `existing`: you create it. `external`: the External Secrets Operator creates it.',
      ),
      external: group('Location of the kubeconfig in the store.', {
        item: text('capi-workload-kubeconfig', 'Key of the item in the store.'),
        field: text('kubeconfig', 'Field of the item.'),
      }),
    }),
  }),
  scaleway: group('Macs rented from Scaleway.', {
    enabled: flag(false, 'Adopt Macs from Scaleway.'),
    secret: secretValues('Secret of the Scaleway API key.', 'SCALEWAY_API', {
      'access-key': 'access key',
      'secret-key': 'secret key',
      'project-id': 'project of the Macs',
    }),
  }),
  inventory: group('Your own Macs.', {
    hosts: list(
      [],
      'One MacHost for each entry: name, pool, address and user, and optionally port, type, os, hostKey and screen; see docs/owned-macs.md. Helm keeps a MacHost that is removed from the list or uninstalled.',
      { items: inventoryHost },
    ),
  }),
  externalSecrets: group('External Secrets Operator, for every `source: external`.', {
    store: group('Secret store.', {
      name: text('', 'Name of the store.'),
      kind: choice(['ClusterSecretStore', 'SecretStore'], 'Kind of the store.'),
    }),
    refreshInterval: text('1h', 'Refresh interval of the Secrets.'),
  }),
  fleetDefaults: group('Defaults of all fleets.', fleetFields),
  macosFleet: fleet({ enabled: false }, 'Macs for your own workloads.'),
  runnersFleet: fleet({ enabled: false }, 'Macs for runners.'),
  buildersFleet: fleet({ enabled: false, ghActionsRunner: { enabled: true } }, 'Macs that bake images.'),
  fleets: map({}, 'Additional fleets by name. Fields: see `fleetDefaults`, but `enabled` is true by default.', {
    propertyNames: { pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$' },
    additionalProperties: { $ref: '#/definitions/fleet' },
  }),
  runnerPools: group('Pools of warm VMs, each for one job.', {
    namespace: text(
      'tuist-runners',
      'Namespace of the pools and their Pods. The chart creates it, and keeps it on uninstall.',
      { minLength: 1 },
    ),
    account: text('', 'GitHub organisation of the runners.'),
    githubApp: githubApp('RUNNERS_GITHUB_APP'),
    pools: map(
      {},
      'Pools by name. Fields: the `spec` of a RunnerPool; only `image` is required. With `autoscaling.enabled`, `replicas` is not rendered.',
      { additionalProperties: poolSchema },
    ),
  }),
  drainRule: group('A MachineDrainRule with which draining a Mac waits for its jobs.', {
    enabled: flag(true, 'Create the MachineDrainRule.'),
  }),
  fleetGate: group(
    'A Job after install and upgrade that succeeds once every fleet is Available, and logs what each Mac waits for.',
    {
      enabled: flag(
        true,
        'Create the Job if there is a fleet. No Helm version waits for MachineDeployments, even with --wait.',
      ),
      timeoutSeconds: count(
        14400,
        'Timeout for the fleets in seconds. Helm needs a longer --timeout, for example 4h10m (default of Helm: 5m). It ends as soon as the Job does.',
        { minimum: 1 },
      ),
      progressTimeoutSeconds: count(
        2700,
        'Timeout in seconds without progress: no Mac reached a state, condition or step for the first time. While a vendor reinstalls or restarts a Mac, the Job waits for up to two hours.',
        { minimum: 1 },
      ),
    },
  ),
  monitoring: group('Monitoring with the Prometheus Operator and Grafana.', {
    enabled: flag(false, 'Create a ServiceMonitor and a PrometheusRule for each program.'),
    labels: map({}, 'Labels for the selectors of Prometheus, for example `{release: prometheus}`.'),
    interval: text('30s', 'Scrape interval.'),
    dashboards: group('Grafana dashboards as ConfigMaps.', {
      enabled: flag(false, 'Create the dashboards.'),
      labels: map({ grafana_dashboard: '1' }, 'Labels for Grafana’s sidecar.'),
    }),
  }),
};

export const fleetSchema = groupSchema(group('A fleet of Macs.', fleetFields));

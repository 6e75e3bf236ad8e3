/** The objects of a fleet, as docs/examples/first-fleet.yaml shows them. */
import { KUBELET_VERSION } from '@minifleet/tart-kubelet/testing/node';

export const CLUSTER = 'minifleet';

export interface FleetOptions {
  readonly name: string;
  readonly replicas: number;
  /** Additional fields of the machine spec. */
  readonly machine?: object;
  /** Conditions that Cluster API requires for a Ready Machine. */
  readonly readinessGates?: readonly string[];
}

export interface ApiEndpoint {
  readonly host: string;
  readonly port: number;
}

const infrastructure = 'infrastructure.cluster.x-k8s.io';
const controlPlane = 'controlplane.cluster.x-k8s.io';
const CLUSTER_API = 'cluster.x-k8s.io/v1beta2';
const MINIFLEET = `${infrastructure}/v1alpha1`;

const inDefault = (name: string, more: object = {}) => ({ namespace: 'default', name, ...more });

/** Objects that all fleets share. */
export const clusterObjects = (endpoint: ApiEndpoint): object[] => [
  {
    apiVersion: CLUSTER_API,
    kind: 'Cluster',
    metadata: inDefault(CLUSTER),
    spec: {
      infrastructureRef: { apiGroup: infrastructure, kind: 'ScalewayAppleSiliconCluster', name: CLUSTER },
      controlPlaneRef: { apiGroup: controlPlane, kind: 'ExternalControlPlane', name: CLUSTER },
    },
  },
  { apiVersion: MINIFLEET, kind: 'ScalewayAppleSiliconCluster', metadata: inDefault(CLUSTER) },
  {
    apiVersion: `${controlPlane}/v1alpha1`,
    kind: 'ExternalControlPlane',
    metadata: inDefault(CLUSTER),
    spec: { controlPlaneEndpoint: endpoint },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: inDefault('no-bootstrap-data', { labels: { 'cluster.x-k8s.io/cluster-name': CLUSTER } }),
    type: 'cluster.x-k8s.io/secret',
    stringData: { value: '' },
  },
];

export const templateOf = (fleet: string, name: string = fleet, machine: object = {}): object => ({
  apiVersion: MINIFLEET,
  kind: 'ScalewayAppleSiliconMachineTemplate',
  metadata: inDefault(name),
  spec: { template: { spec: { fleetName: fleet, adoptPoolPrefix: 'tuist-pool-', os: 'Tahoe', ...machine } } },
});

export const deploymentOf = ({ name, replicas, readinessGates = [] }: FleetOptions): object => ({
  apiVersion: CLUSTER_API,
  kind: 'MachineDeployment',
  metadata: inDefault(name),
  spec: {
    clusterName: CLUSTER,
    replicas,
    selector: { matchLabels: {} },
    rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
    template: {
      spec: {
        clusterName: CLUSTER,
        // Cluster API reports RollingOut for machines whose Nodes have another version.
        version: KUBELET_VERSION,
        ...(readinessGates.length > 0 && {
          readinessGates: readinessGates.map(conditionType => ({ conditionType })),
        }),
        bootstrap: { dataSecretName: 'no-bootstrap-data' },
        infrastructureRef: { apiGroup: infrastructure, kind: 'ScalewayAppleSiliconMachineTemplate', name },
      },
    },
  },
});

/** Replaces a machine as soon as its Node has no heartbeat. */
export const healthCheckOf = (fleet: string): object => ({
  apiVersion: CLUSTER_API,
  kind: 'MachineHealthCheck',
  metadata: inDefault(fleet),
  spec: {
    clusterName: CLUSTER,
    selector: { matchLabels: { 'cluster.x-k8s.io/deployment-name': fleet } },
    checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 1 }] },
  },
});

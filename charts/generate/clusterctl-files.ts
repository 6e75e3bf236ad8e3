import { kinds } from '@minifleet/api';
import { PROGRAM_NAMESPACE as NAMESPACE } from '@minifleet/kube';
import { defaultFleetFile } from '@minifleet/spec-file';
import { KUBELET_VERSION } from '@minifleet/tart-kubelet/testing/node';
import { stringify } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };
import { container, podSecurity, tolerations } from './program-pod.ts';

const HEADER = '# Generated from charts/generate/clusterctl-files.ts by npm run generate. Do not edit.\n';
const PROVIDER = 'minifleet-provider';
const SECRET = 'minifleet-scaleway';
const documents = (objects: readonly object[]): string =>
  HEADER + objects.map(object => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');

/** config/clusterctl: the files that `clusterctl init` and `clusterctl generate cluster` read. */
export const clusterctlFiles = (access: readonly object[]): [string, string][] => [
  ['config/clusterctl/metadata.yaml', documents([metadata()])],
  ['config/clusterctl/infrastructure-components.yaml', documents(components(access))],
  ['config/clusterctl/cluster-template.yaml', documents(clusterTemplate())],
];

function metadata(): object {
  const [major, minor] = packageFile.version.split('.').map(Number);
  return {
    apiVersion: 'clusterctl.cluster.x-k8s.io/v1alpha3',
    kind: 'Metadata',
    releaseSeries: [{ major, minor, contract: 'v1beta2' }],
  };
}

const components = (access: readonly object[]): object[] => [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  ...kinds.map(kind => kind.crd()),
  ...access.filter(inOurNamespace),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: NAMESPACE, name: SECRET },
    stringData: Object.fromEntries(KEYS.map(([variable, key]) => [key, `\${${variable}:=""}`])),
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: NAMESPACE, name: PROVIDER },
    data: { 'fleet.yaml': stringify(defaultFleetFile()) },
  },
  deployment(),
];

/** clusterctl moves every namespaced object into its namespace, and would move the permissions for bootstrap tokens out of kube-system. */
const inOurNamespace = (object: object): boolean => {
  const { metadata } = object as { metadata: { namespace?: string } };
  return metadata.namespace === undefined || metadata.namespace === NAMESPACE;
};

/** Empty by default; clusterctl treats an empty default as none. */
const KEYS = [
  ['SCW_ACCESS_KEY', 'access-key'],
  ['SCW_SECRET_KEY', 'secret-key'],
  ['SCW_DEFAULT_PROJECT_ID', 'project-id'],
] as const;

function deployment(): object {
  const labels = { 'app.kubernetes.io/component': PROVIDER };
  const env = KEYS.map(([name, key]) => ({ name, valueFrom: { secretKeyRef: { name: SECRET, key } } }));
  const args = [
    '--leader-elect',
    `--leader-elect-namespace=${NAMESPACE}`,
    '--fleet-file=/etc/minifleet/fleet.yaml',
    `--kubeconfig-service-account=${NAMESPACE}/capi-remote`,
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: NAMESPACE, name: PROVIDER, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: PROVIDER,
          securityContext: podSecurity,
          containers: [
            {
              ...container,
              image: `\${MINIFLEET_PROVIDER_IMAGE:=minifleet-provider:${packageFile.version}}`,
              args,
              env,
              volumeMounts: [{ name: 'fleet', mountPath: '/etc/minifleet', readOnly: true }],
            },
          ],
          volumes: [{ name: 'fleet', configMap: { name: PROVIDER } }],
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          tolerations,
        },
      },
    },
  };
}

const infrastructure = 'infrastructure.cluster.x-k8s.io';
const controlPlane = 'controlplane.cluster.x-k8s.io';
const NAME = '${CLUSTER_NAME}';
const named = (name: string = NAME) => ({ name, namespace: '${NAMESPACE}' });

/** A Cluster object that represents the cluster it is applied to, and a fleet of Macs. */
const clusterTemplate = (): object[] => [
  {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: named(),
    spec: {
      infrastructureRef: { apiGroup: infrastructure, kind: 'ScalewayAppleSiliconCluster', name: NAME },
      controlPlaneRef: { apiGroup: controlPlane, kind: 'ExternalControlPlane', name: NAME },
    },
  },
  { apiVersion: `${infrastructure}/v1alpha1`, kind: 'ScalewayAppleSiliconCluster', metadata: named() },
  {
    apiVersion: `${controlPlane}/v1alpha1`,
    kind: 'ExternalControlPlane',
    metadata: named(),
    spec: {
      controlPlaneEndpoint: { host: '${MINIFLEET_CONTROL_PLANE_HOST}', port: '${MINIFLEET_CONTROL_PLANE_PORT:=6443}' },
    },
  },
  {
    apiVersion: `${infrastructure}/v1alpha1`,
    kind: 'ScalewayAppleSiliconMachineTemplate',
    metadata: named(`${NAME}-macs`),
    spec: {
      template: {
        spec: {
          fleetName: `${NAME}-macs`,
          adoptPoolPrefix: '${MINIFLEET_POOL_PREFIX:=tuist-pool-}',
          type: '${MINIFLEET_MACHINE_TYPE:=M2-L}',
          zone: '${MINIFLEET_ZONE:=fr-par-1}',
          os: '${MINIFLEET_OS:=macos-tahoe-26.3}',
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...named(`${NAME}-no-bootstrap-data`), labels: { 'cluster.x-k8s.io/cluster-name': NAME } },
    type: 'cluster.x-k8s.io/secret',
    stringData: { value: '' },
  },
  {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: named(`${NAME}-macs`),
    spec: {
      clusterName: NAME,
      replicas: '${WORKER_MACHINE_COUNT}',
      selector: { matchLabels: {} },
      rollout: { strategy: { type: 'OnDelete' } },
      template: {
        spec: {
          clusterName: NAME,
          // Not KUBERNETES_VERSION, because Cluster API compares the version with the one that the agents report.
          version: KUBELET_VERSION,
          bootstrap: { dataSecretName: `${NAME}-no-bootstrap-data` },
          infrastructureRef: {
            apiGroup: infrastructure,
            kind: 'ScalewayAppleSiliconMachineTemplate',
            name: `${NAME}-macs`,
          },
        },
      },
    },
  },
];

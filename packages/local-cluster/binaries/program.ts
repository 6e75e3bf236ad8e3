/** Programs of the local cluster, and tools for tests: version, official release, and Go build of each. */

export const PROGRAM_NAMES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kubelet',
  'capi-core',
  'capi-manifests',
  'clusterctl',
  'helm',
  'helm3',
  'metrics-server',
  'packer',
  'actionlint',
  'external-secrets-crds',
  'prometheus-operator-crds',
] as const;

export type ProgramName = (typeof PROGRAM_NAMES)[number];

export type GoRecipe = {
  readonly kind: 'go';
  /** Folder under `go/` whose go.mod pins every module. */
  readonly folder: string;
  readonly package: string;
  /** Variables set by the linker, so that the program reports its version. */
  readonly stamps: Readonly<Record<string, string>>;
};
/** CRDs and webhook configurations, which are files inside a published module. */
export type ModuleFilesRecipe = {
  readonly kind: 'module-files';
  readonly folder: string;
  readonly module: string;
  /** Folder of the module with one CRD per file. */
  readonly crds: string;
  /** Only these CRDs (default: all). */
  readonly only?: readonly string[];
  /** File with webhook configurations. */
  readonly webhooks?: string;
};

export type Download =
  | { readonly kind: 'kubernetes'; readonly darwin: boolean }
  | { readonly kind: 'etcd' }
  | { readonly kind: 'helm' }
  | { readonly kind: 'github'; readonly repository: string }
  | { readonly kind: 'none'; readonly reason: string };

export type Program = {
  readonly name: ProgramName;
  readonly version: string;
  readonly recipe: GoRecipe | ModuleFilesRecipe;
  readonly download: Download;
  /** Time of a first build on two cores, after the programs before it in PROGRAM_NAMES. For estimates. */
  readonly buildSeconds: number;
};

export const KUBERNETES_VERSION = 'v1.36.4';
export const ETCD_VERSION = 'v3.6.16';
export const CLUSTER_API_VERSION = 'v1.14.2';
export const HELM_VERSION = 'v4.3.1';
export const HELM3_VERSION = 'v3.22.0';
export const METRICS_SERVER_VERSION = 'v0.9.0';
const PACKER_VERSION = 'v1.12.0';
const ACTIONLINT_VERSION = 'v1.7.12';
const EXTERNAL_SECRETS_VERSION = 'v1.3.2';
const PROMETHEUS_OPERATOR_VERSION = 'v0.85.0';

/** A published module does not contain its commit or date. Constants also keep the build reproducible. */
function gitStamps(goPackage: string, version: string): Record<string, string> {
  const [major = '', minor = ''] = version.slice(1).split('.');
  return {
    [`${goPackage}.gitVersion`]: version,
    [`${goPackage}.gitMajor`]: major,
    [`${goPackage}.gitMinor`]: minor,
    [`${goPackage}.gitCommit`]: 'published-module',
    [`${goPackage}.gitTreeState`]: 'clean',
    [`${goPackage}.buildDate`]: '1970-01-01T00:00:00Z',
  };
}

function kubernetes(name: ProgramName, darwin: boolean, buildSeconds: number): Program {
  const stamps = {
    ...gitStamps('k8s.io/component-base/version', KUBERNETES_VERSION),
    ...gitStamps('k8s.io/client-go/pkg/version', KUBERNETES_VERSION),
  };
  return {
    name,
    version: KUBERNETES_VERSION,
    recipe: { kind: 'go', folder: 'kubernetes', package: `k8s.io/kubernetes/cmd/${name}`, stamps },
    download: { kind: 'kubernetes', darwin },
    buildSeconds,
  };
}

function clusterApi(name: ProgramName, goPackage: string, build: Pick<Program, 'download' | 'buildSeconds'>): Program {
  const stamps = gitStamps('sigs.k8s.io/cluster-api/version', CLUSTER_API_VERSION);
  return {
    name,
    version: CLUSTER_API_VERSION,
    recipe: { kind: 'go', folder: 'cluster-api', package: `sigs.k8s.io/cluster-api/${goPackage}`, stamps },
    ...build,
  };
}

function helm(name: ProgramName, version: string, buildSeconds: number): Program {
  const module = `helm.sh/helm/${version.split('.')[0]}`;
  const stamps = {
    [`${module}/internal/version.version`]: version,
    [`${module}/internal/version.gitTreeState`]: 'clean',
  };
  return {
    name,
    version,
    recipe: { kind: 'go', folder: name, package: `${module}/cmd/helm`, stamps },
    download: { kind: 'helm' },
    buildSeconds,
  };
}

export const PROGRAMS: Readonly<Record<ProgramName, Program>> = {
  etcd: {
    name: 'etcd',
    version: ETCD_VERSION,
    recipe: {
      kind: 'go',
      folder: 'etcd',
      package: 'go.etcd.io/etcd/server/v3',
      stamps: { 'go.etcd.io/etcd/api/v3/version.GitSHA': 'published-module' },
    },
    download: { kind: 'etcd' },
    buildSeconds: 50,
  },
  'kube-apiserver': kubernetes('kube-apiserver', false, 240),
  'kube-controller-manager': kubernetes('kube-controller-manager', false, 60),
  'kube-scheduler': kubernetes('kube-scheduler', false, 10),
  kubectl: kubernetes('kubectl', true, 40),
  // Only for Linux Nodes (linux-node), so neither `npm start` nor `npm test` builds it.
  kubelet: kubernetes('kubelet', false, 90),
  'capi-core': clusterApi('capi-core', 'core', {
    download: { kind: 'none', reason: 'Cluster API publishes its core manager as a container image only' },
    buildSeconds: 120,
  }),
  'capi-manifests': {
    name: 'capi-manifests',
    version: CLUSTER_API_VERSION,
    recipe: {
      kind: 'module-files',
      folder: 'cluster-api',
      module: 'sigs.k8s.io/cluster-api',
      crds: 'core/config/crd/bases',
      webhooks: 'core/config/webhook/manifests.yaml',
    },
    download: { kind: 'none', reason: 'they are taken from the same module the core manager is built from' },
    buildSeconds: 5,
  },
  clusterctl: clusterApi('clusterctl', 'cmd/clusterctl', {
    download: { kind: 'github', repository: 'kubernetes-sigs/cluster-api' },
    buildSeconds: 60,
  }),
  helm: helm('helm', HELM_VERSION, 150),
  helm3: helm('helm3', HELM3_VERSION, 90),
  'metrics-server': {
    name: 'metrics-server',
    version: METRICS_SERVER_VERSION,
    recipe: {
      kind: 'go',
      folder: 'metrics-server',
      package: 'sigs.k8s.io/metrics-server/cmd/metrics-server',
      stamps: gitStamps('k8s.io/client-go/pkg/version', METRICS_SERVER_VERSION),
    },
    download: { kind: 'none', reason: 'metrics-server is published as a container image only' },
    buildSeconds: 40,
  },
  // Both are used only in tests of images/ and are never part of a cluster.
  packer: {
    name: 'packer',
    version: PACKER_VERSION,
    recipe: { kind: 'go', folder: 'packer', package: 'github.com/hashicorp/packer', stamps: {} },
    download: { kind: 'none', reason: 'Packer is published as zip archives, which GNU tar does not open' },
    buildSeconds: 300,
  },
  actionlint: {
    name: 'actionlint',
    version: ACTIONLINT_VERSION,
    recipe: { kind: 'go', folder: 'actionlint', package: 'github.com/rhysd/actionlint/cmd/actionlint', stamps: {} },
    download: { kind: 'none', reason: 'it is built in seconds' },
    buildSeconds: 15,
  },
  // Both are used only in tests of charts/, so that the API server validates the chart's objects of these CRDs.
  'external-secrets-crds': {
    name: 'external-secrets-crds',
    version: EXTERNAL_SECRETS_VERSION,
    recipe: {
      kind: 'module-files',
      folder: 'operators',
      module: 'github.com/external-secrets/external-secrets',
      crds: 'config/crds/bases',
      only: ['external-secrets.io_externalsecrets.yaml'],
    },
    download: { kind: 'none', reason: 'they are files of a published module' },
    buildSeconds: 5,
  },
  'prometheus-operator-crds': {
    name: 'prometheus-operator-crds',
    version: PROMETHEUS_OPERATOR_VERSION,
    recipe: {
      kind: 'module-files',
      folder: 'operators',
      module: 'github.com/prometheus-operator/prometheus-operator',
      crds: 'example/prometheus-operator-crd',
      only: ['monitoring.coreos.com_prometheusrules.yaml', 'monitoring.coreos.com_servicemonitors.yaml'],
    },
    download: { kind: 'none', reason: 'they are files of a published module' },
    buildSeconds: 5,
  },
};

/** Returns the linker flags of a recipe as one argument of go build. */
export function linkerFlags(recipe: GoRecipe): string {
  const stamps = Object.entries(recipe.stamps).map(([variable, value]) => `-X ${variable}=${value}`);
  // Without symbol tables, the programs are a third smaller and start faster from a cold disk.
  return ['-s', '-w', ...stamps].join(' ');
}

import {
  ApiError,
  type Client,
  type CustomResourceDefinition,
  configMaps,
  customResourceDefinitions,
  isForbidden,
  isNotFound,
  type KubeObject,
  type KubeSecret,
  type Namespace,
  type Node,
  namespaces,
  nodes,
  type Resource,
  secrets,
} from '@minifleet/kube';
import { type ListResult, listAll } from '../../cluster/list-all.ts';
import { deployments, type ProgramDeployment } from '../../cluster/resources.ts';
import type { ExpectedSecret } from './chart-values.ts';

/** Inventory of clusterctl. */
export interface ClusterctlProvider extends KubeObject {
  readonly providerName?: string;
  readonly version?: string;
}

const clusterctlProviders: Resource<ClusterctlProvider> = {
  group: 'clusterctl.cluster.x-k8s.io',
  version: 'v1alpha3',
  kind: 'Provider',
  plural: 'providers',
  scope: 'Namespaced',
};

/** Answer of Cluster API's webhooks to a Cluster that is not stored. */
export type WebhookAnswer =
  | { readonly kind: 'answered' }
  | { readonly kind: 'not served' | 'failed' | 'unknown'; readonly why: string };

/** State of the cluster before an installation. */
export interface PreflightFacts {
  readonly kubernetes: string;
  readonly definitions: ListResult<CustomResourceDefinition>;
  readonly nodes: ListResult<Node>;
  readonly namespaces: ListResult<Namespace>;
  readonly clusterApi: ListResult<ProgramDeployment>;
  readonly certManager: ListResult<ProgramDeployment>;
  readonly providers: ListResult<ClusterctlProvider>;
  readonly webhooks: WebhookAnswer;
  /** Permissions that the installation needs and the user lacks. */
  readonly missingPermissions: readonly InstallPermission[];
  /** Secrets by `namespace/name`; a missing one is absent. */
  readonly secrets: ReadonlyMap<string, KubeSecret | 'forbidden'>;
  /** CA certificate of the API server, as Pods get it. */
  readonly authority: string | undefined;
}

export async function readPreflightFacts(
  client: Client,
  namespace: string,
  expected: readonly ExpectedSecret[],
): Promise<PreflightFacts> {
  const [version, definitions, allNodes, allNamespaces, clusterApi, certManager, providers, webhooks, missing] =
    await Promise.all([
      client.send({ method: 'GET', path: '/version' }),
      listAll(client, customResourceDefinitions),
      listAll(client, nodes),
      listAll(client, namespaces),
      listAll(client, deployments, { labelSelector: 'cluster.x-k8s.io/provider=cluster-api' }),
      listAll(client, deployments, { labelSelector: 'app.kubernetes.io/instance=cert-manager' }),
      listAll(client, clusterctlProviders),
      tryWebhooks(client),
      missingPermissions(client, namespace),
    ]);
  return {
    kubernetes: (JSON.parse(version) as { gitVersion: string }).gitVersion,
    ...{ definitions, nodes: allNodes, namespaces: allNamespaces, clusterApi, certManager, providers, webhooks },
    missingPermissions: missing,
    secrets: await readSecrets(client, expected),
    authority: await readAuthority(client),
  };
}

/** Creates a Cluster with `dryRun`, which calls the webhooks and stores nothing. */
async function tryWebhooks(client: Client): Promise<WebhookAnswer> {
  const name = 'minifleet-preflight';
  const ref = (apiGroup: string, kind: string) => ({ apiGroup, kind, name });
  const spec = {
    infrastructureRef: ref('infrastructure.cluster.x-k8s.io', 'MacCluster'),
    controlPlaneRef: ref('controlplane.cluster.x-k8s.io', 'ExternalControlPlane'),
  };
  const body = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name }, spec };
  const path = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters';
  try {
    await client.send({ method: 'POST', path, query: { dryRun: 'All' }, body });
    return { kind: 'answered' };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'not served', why: 'Cluster API is not installed' };
    if (isForbidden(error)) return { kind: 'unknown', why: 'you are not allowed to create clusters.cluster.x-k8s.io' };
    if (!(error instanceof ApiError)) throw error;
    // An object that a webhook rejects shows that the webhook responds.
    return error.code < 500 ? { kind: 'answered' } : { kind: 'failed', why: error.status.message ?? error.message };
  }
}

/** One permission of the user who installs. */
export interface InstallPermission {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
}

const cluster = (verb: string, group: string, resource: string): InstallPermission => ({
  ...{ verb, group, resource, namespace: '' },
});

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';

/** Creation of the objects of both charts. `escalate`: the programs get permissions that the user may not have. */
const installPermissions = (namespace: string): readonly InstallPermission[] => [
  cluster('create', '', 'namespaces'),
  cluster('create', 'apiextensions.k8s.io', 'customresourcedefinitions'),
  cluster('create', RBAC, 'clusterroles'),
  cluster('escalate', RBAC, 'clusterroles'),
  cluster('create', RBAC, 'clusterrolebindings'),
  cluster('create', ADMISSION, 'validatingadmissionpolicies'),
  cluster('create', ADMISSION, 'validatingadmissionpolicybindings'),
  { verb: 'create', group: RBAC, resource: 'rolebindings', namespace: 'kube-system' },
  ...[
    ['apps', 'deployments'],
    ['batch', 'jobs'],
    ['', 'secrets'],
    ['', 'serviceaccounts'],
    [RBAC, 'roles'],
    ['cluster.x-k8s.io', 'clusters'],
    ['cluster.x-k8s.io', 'machinedeployments'],
  ].map(([group = '', resource = '']) => ({ verb: 'create', group, resource, namespace })),
];

async function missingPermissions(client: Client, namespace: string): Promise<readonly InstallPermission[]> {
  const permissions = installPermissions(namespace);
  const answers = await Promise.all(permissions.map(permission => isAllowed(client, permission)));
  return permissions.filter((_, index) => !answers[index]);
}

/** Every authenticated user may ask about their own permissions. */
async function isAllowed(client: Client, resourceAttributes: InstallPermission): Promise<boolean> {
  const answer = await client.send({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    },
  });
  return (JSON.parse(answer) as { status: { allowed: boolean } }).status.allowed;
}

async function readSecrets(
  client: Client,
  expected: readonly ExpectedSecret[],
): Promise<ReadonlyMap<string, KubeSecret | 'forbidden'>> {
  const found = await Promise.all(
    expected.map(async ({ namespace, name }) => {
      const secret = await unlessForbidden(() => client.find(secrets, { namespace, name }));
      return [`${namespace}/${name}`, secret] as const;
    }),
  );
  return new Map(found.flatMap(([key, secret]) => (secret === undefined ? [] : [[key, secret] as const])));
}

async function readAuthority(client: Client): Promise<string | undefined> {
  const key = { namespace: 'kube-system', name: 'kube-root-ca.crt' };
  const found = await unlessForbidden(() => client.find(configMaps, key));
  return found === 'forbidden' ? undefined : found?.data?.['ca.crt'];
}

async function unlessForbidden<T>(read: () => Promise<T>): Promise<T | 'forbidden'> {
  try {
    return await read();
  } catch (error) {
    if (isForbidden(error)) return 'forbidden';
    throw error;
  }
}

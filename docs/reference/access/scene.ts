import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@minifleet/clock/testing';
import { accountSubject, bindingObject, PROGRAM_NAMESPACE, roleObject } from '@minifleet/kube';
import { findBinaries, type LocalCluster } from '@minifleet/local-cluster';
import { CREDENTIALS_ROLE, PROVIDER } from '@minifleet/provider/testing/program';
import { stringify } from 'yaml';
import { fileWith, render } from '../../../charts/testing/helm.ts';
import { everythingWith } from '../../../charts/testing/permutations.ts';
import { GATE } from './accounts.ts';
import { type Kubectl, openKubectl } from './kubectl-answers.ts';

const root = new URL('../../..', import.meta.url).pathname;

/** A cluster after the installation: all CRDs, config/rbac, the chart's account, fleets in two namespaces, and Pods on two Macs. */
export async function openScene(cluster: LocalCluster, cacheDirectory: string): Promise<Kubectl> {
  const kubectl = await openKubectl(cluster.kubeconfigs.admin.path, cacheDirectory);
  const apply = async (objects: readonly object[]): Promise<void> => {
    const file = fileWith(objects.map(object => stringify(object)).join('---\n'));
    await kubectl.run('apply', '--server-side', '-f', file);
  };
  await apply([...(await clusterApiKinds()), OLDER_CLAIMS]);
  await kubectl.run('apply', '--server-side', '-f', join(root, 'config/crd'));
  await kubectl.run('wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s');
  await apply([namespace(PROGRAM_NAMESPACE), namespace('team-a')]);
  await kubectl.run('apply', '-f', join(root, 'config/rbac'));
  await apply(await chartAccounts());
  await apply([
    bindingObject({
      ...{ name: CREDENTIALS_ROLE, role: CREDENTIALS_ROLE, namespace: 'team-a' },
      subject: accountSubject(PROVIDER),
    }),
    mac('mac-1'),
    mac('mac-2'),
    podOn('mac-1', 'job', 'job-key'),
    podOn('mac-2', 'other', 'other-key'),
    ...LAST,
  ]);
  await inForce(kubectl);
  return kubectl;
}

/** CRD of the older version, as an upgrade leaves it. Its objects are converted when the provider starts. */
const OLDER_CLAIMS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'hostclaims.infrastructure.cluster.x-k8s.io' },
  spec: {
    group: 'infrastructure.cluster.x-k8s.io',
    scope: 'Cluster',
    names: { kind: 'HostClaim', plural: 'hostclaims' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** Accounts and roles that the chart creates in addition to config/rbac. */
async function chartAccounts(): Promise<object[]> {
  const manifests = await render('helm', everythingWith('plain'));
  return manifests.filter(
    ({ kind, metadata }) => metadata.name === GATE && /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind),
  );
}

/** CRDs without controllers: discovery must list them, and no test creates their objects. */
async function clusterApiKinds(): Promise<readonly object[]> {
  const found = await findBinaries({ programs: ['capi-manifests'] });
  return (JSON.parse(await readFile(found['capi-manifests'], 'utf8')) as { crds: readonly object[] }).crds;
}

const mac = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints: [{ key: 'tuist.dev/macos', effect: 'NoSchedule' }] },
});

const podOn = (nodeName: string, name: string, secretName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'tuist-runners', name },
  spec: {
    nodeName,
    containers: [{ name: 'vm', image: 'macos', envFrom: [{ secretRef: { name: secretName } }] }],
  },
});

const WATCHER = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'the-last-one' };
const inDefault = { name: WATCHER.name, role: WATCHER.name, namespace: 'default' };
const LAST = [
  roleObject(WATCHER.name, [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }]),
  bindingObject({ name: WATCHER.name, role: WATCHER.name, subject: WATCHER }),
  roleObject(WATCHER.name, [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }], 'default'),
  bindingObject({ ...inDefault, kind: 'Role', subject: WATCHER }),
];

/** The authorizer watches each RBAC resource in order, so all permissions are in force when the last object of each resource is. */
async function inForce(kubectl: Kubectl): Promise<void> {
  const last = { user: WATCHER.name, groups: [] };
  const mac = { user: 'system:node:mac-2', groups: ['system:nodes'] };
  await eventually(
    async () => (await kubectl.canI(last, { verb: 'get', what: 'nodes', place: 'everywhere' })) === 'yes',
  );
  await eventually(async () => (await kubectl.canI(last, { verb: 'get', what: 'pods', place: 'default' })) === 'yes');
  const key = { verb: 'get', what: 'secrets other-key', place: 'tuist-runners' } as const;
  await eventually(async () => (await kubectl.canI(mac, key)) === 'yes');
}

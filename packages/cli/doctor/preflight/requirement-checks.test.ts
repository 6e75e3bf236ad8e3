import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { macHost } from '@minifleet/api';
import type { PreflightFacts } from './preflight-facts.ts';
import { checkRequirements } from './requirement-checks.ts';
import { checkTrials } from './trial-checks.ts';

const list = (...items: readonly object[]) => ({ items });
const served = (name: string) => ({ metadata: { name }, spec: { versions: [{ name: 'v1beta2', served: true }] } });
const CLUSTER_API = ['clusters', 'machinedeployments', 'machines'].map(name => served(`${name}.cluster.x-k8s.io`));
const linux = (labels: object = {}, more: object = {}) => ({
  metadata: { name: 'linux-1', labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64', ...labels } },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
  ...more,
});
const manager = (readyReplicas: number) => ({
  metadata: { namespace: 'capi-system', name: 'capi-controller-manager' },
  spec: {
    template: { spec: { containers: [{ image: 'registry.k8s.io/cluster-api/cluster-api-controller:v1.13.2' }] } },
  },
  status: { readyReplicas },
});

const good = {
  kubernetes: 'v1.36.4',
  definitions: list(...CLUSTER_API),
  nodes: list(linux()),
  namespaces: list(),
  clusterApi: list(manager(1)),
  certManager: list(),
  providers: list(),
  webhooks: { kind: 'answered' },
  missingPermissions: [],
  secrets: new Map(),
  authority: undefined,
};

const checks = (more: object = {}) =>
  checkRequirements({ ...good, ...more } as unknown as PreflightFacts, 'minifleet-system');
const row = (check: string, more: object = {}) => {
  const found = checks(more).find(each => each.check === check);
  assert.ok(found, check);
  return found;
};

test('a cluster that meets the requirements has no problem', () => {
  assert.deepEqual(
    checks().filter(({ state }) => state !== 'ok'),
    [],
  );
});

test('an older Kubernetes is a problem with the version to upgrade to', () => {
  assert.match(row('Kubernetes', { kubernetes: 'v1.30.1' }).message, /the API server is v1\.30\.1/);
});

test('a Kubernetes that is newer than the tested one is reported, but is no problem', () => {
  const { state, message } = row('Kubernetes', { kubernetes: 'v1.37.0' });
  assert.deepEqual([state, message], ['ok', 'v1.37.0, tested with v1.36']);
});

describe('preflight of Nodes', () => {
  for (const [what, node] of [
    ['of Windows', linux({ 'kubernetes.io/os': 'windows' })],
    ['of another architecture', linux({ 'kubernetes.io/arch': 's390x' })],
    ['that is cordoned', linux({}, { spec: { unschedulable: true } })],
    ['that is not Ready', linux({}, { status: {} })],
  ] as const) {
    test(`a Node ${what} cannot run the programs`, () => {
      assert.equal(row('Nodes', { nodes: list(node) }).state, 'problem');
    });
  }
});

describe('preflight of Cluster API', () => {
  test('the version comes from the inventory of clusterctl, or else from the image', () => {
    assert.equal(row('Cluster API').message, 'v1.13.2, tested with v1.14');
    const providers = list({ providerName: 'cluster-api', version: 'v1.14.2' });
    assert.equal(row('Cluster API', { providers }).message, 'v1.14.2');
    assert.match(row('Cluster API', { clusterApi: list() }).message, /v1beta2 is served; its version is not recorded/);
  });

  test('a manager without a Ready Pod is a problem', () => {
    const found = row('Cluster API', { clusterApi: list(manager(0)) });
    assert.match(found.message, /capi-system\/capi-controller-manager has no Ready Pod/);
  });

  test('a webhook that fails is a problem, and one that cannot be called is unknown', () => {
    const webhooks = { kind: 'failed', why: 'failed calling webhook "default.cluster.cluster.x-k8s.io"' };
    assert.match(row('webhooks', { webhooks }).message, /failed calling webhook/);
    assert.equal(row('webhooks', { webhooks: { kind: 'not served', why: 'missing' } }).state, 'unknown');
  });

  test('cert-manager is a problem only if it is installed and not Ready', () => {
    const deployment = { metadata: { namespace: 'cert-manager', name: 'cert-manager-webhook' }, status: {} };
    assert.equal(row('cert-manager').state, 'ok');
    assert.match(
      row('cert-manager', { certManager: list(deployment) }).message,
      /cert-manager-webhook has no Ready Pod/,
    );
  });
});

describe('preflight of existing CRDs', () => {
  const owner = (release: string) => ({ 'meta.helm.sh/release-name': release });
  const crd = (annotations: object, change: (schema: Record<string, never>) => object = schema => schema) => {
    const made = structuredClone(macHost.crd());
    const [version] = made.spec.versions;
    const schema = change(version?.schema.openAPIV3Schema as never);
    return {
      metadata: { ...made.metadata, annotations },
      spec: { versions: [{ ...version, schema: { openAPIV3Schema: schema } }] },
    };
  };
  const found = (existing: object) => row('CRDs', { definitions: list(...CLUSTER_API, existing) });

  test('CRDs of the chart are no conflict', () => {
    assert.deepEqual(
      [row('CRDs').message, found(crd(owner('minifleet-crds'))).message],
      ['none installed yet', '1 installed by minifleet-crds'],
    );
  });

  test('a CRD that Helm does not own is a problem with the commands that transfer it', () => {
    const { message, fix } = found(crd({}));
    assert.match(message, /machosts\.minifleet\.dev exists and belongs to no Helm release/);
    assert.match(fix ?? '', /^kubectl annotate --overwrite crd machosts\.minifleet\.dev .*managed-by=Helm$/);
    assert.match(found(crd(owner('other'))).message, /belongs to the Helm release other/);
  });

  test('a CRD of a newer version is a problem', () => {
    const newer = crd(owner('minifleet-crds'), schema => ({
      ...schema,
      properties: { ...(schema['properties'] as unknown as object), later: { type: 'string' } },
    }));
    assert.match(found(newer).message, /is newer than this version: it has \.later/);
  });
});

test('an object that a check could not delete is reported with the command that deletes it', () => {
  const works = { kind: 'works' } as const;
  const left = { kind: 'left behind', why: 'forbidden', remove: 'kubectl delete csr a' } as const;
  const found = checkTrials({ bootstrapToken: works, clientSigner: left, servingSigner: works });
  assert.deepEqual(
    found.map(({ state }) => state),
    ['ok', 'problem', 'ok'],
  );
  assert.equal(found[1]?.fix, 'kubectl delete csr a');
});

test('missing permissions are listed, with the number of those left out', () => {
  const missing = ['namespaces', 'clusterroles', 'deployments', 'jobs'].map(resource => ({
    ...{ verb: 'create', group: '', resource },
    namespace: resource === 'jobs' ? 'minifleet-system' : '',
  }));
  const { message, impact } = row('permissions', { missingPermissions: missing });
  assert.equal(message, 'you are not allowed to create namespaces, create clusterroles, create deployments and 1 more');
  assert.equal(impact, 'helm cannot install the charts');
});

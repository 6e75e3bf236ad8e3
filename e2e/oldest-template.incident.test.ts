import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import {
  externalControlPlane,
  kinds,
  type ScalewayAppleSiliconMachine,
  scalewayAppleSiliconCluster,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type Client,
  connectClient,
  customResourceDefinitions,
  type KubeObject,
  type Resource,
  readKubeconfig,
  secrets,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { parseAllDocuments } from 'yaml';

const capi = (kind: string, plural: string): Resource => ({
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind,
  plural,
  scope: 'Namespaced',
});
const machineDeployments = capi('MachineDeployment', 'machinedeployments');
const machineSets = capi('MachineSet', 'machinesets');
const prerequisites: readonly Resource[] = [
  capi('Cluster', 'clusters'),
  scalewayAppleSiliconCluster.resource,
  externalControlPlane.resource,
  secrets,
];
const machines: Resource<ScalewayAppleSiliconMachine> = scalewayAppleSiliconMachine.resource;

describe('templates older than the controller', () => {
  let cluster: LocalCluster;
  let client: Client;
  const documents = parseAllDocuments(
    readFileSync(new URL('../docs/examples/first-fleet.yaml', import.meta.url), 'utf8'),
  );
  const example = (kind: string): KubeObject => {
    const found = documents.map(document => document.toJS() as KubeObject).find(object => object.kind === kind);
    assert.ok(found, kind);
    return found;
  };

  before(async () => {
    cluster = await startLocalCluster();
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    for (const kind of kinds)
      await client.apply(customResourceDefinitions, kind.crd() as never, { fieldManager: 'test' });
    for (const resource of prerequisites) {
      await eventually(() => client.apply(resource, example(resource.kind), { fieldManager: 'test' }));
    }
  });
  after(async () => {
    await client.close();
    await cluster.stop();
  });

  /** Creates a MachineDeployment with one machine from this template. */
  async function createFleet(name: string, spec: object): Promise<void> {
    const templates = kinds.find(kind => kind.resource.kind === 'ScalewayAppleSiliconMachineTemplate')
      ?.resource as Resource;
    const metadata = { namespace: 'default', name };
    await client.create(templates, { metadata, spec: { template: { spec } } } as never, { fieldValidation: 'Strict' });
    const deployment = structuredClone(example('MachineDeployment')) as KubeObject & {
      spec: { replicas: number; template: { spec: { infrastructureRef: { name: string } } } };
    };
    deployment.metadata.name = name;
    deployment.spec.replicas = 1;
    deployment.spec.template.spec.infrastructureRef.name = name;
    await client.create(machineDeployments, deployment);
  }

  const clonedFrom = (name: string): Promise<ScalewayAppleSiliconMachine> =>
    eventually(async () => {
      const { items } = await client.list(machines, { namespace: 'default' });
      return items.find(({ metadata }) => metadata.annotations?.['cluster.x-k8s.io/cloned-from-name'] === name) ?? null;
    });

  async function cloningFailed(): Promise<boolean> {
    const { items } = await client.list(machineSets, { namespace: 'default' });
    return JSON.stringify(items).includes('InfrastructureTemplateCloningFailed');
  }

  test('I36 Cluster API clones the oldest template, which has no newer field', async () => {
    await createFleet('oldest', { type: 'M2-L', zone: 'fr-par-1', os: 'macos-tahoe-26.3', fleetName: 'runners' });
    const { spec } = await clonedFrom('oldest');
    assert.deepEqual(
      { os: spec?.os, hostRelease: spec?.hostRelease },
      { os: 'macos-tahoe-26.3', hostRelease: 'Return' },
    );
    assert.equal(await cloningFailed(), false);
  });

  test('I36 Cluster API clones an empty template, and defaults fill the machine', async () => {
    await createFleet('empty', {});
    const { spec } = await clonedFrom('empty');
    assert.deepEqual(
      { type: spec?.type, zone: spec?.zone, os: spec?.os },
      { type: 'M2-L', zone: 'fr-par-1', os: 'macos-tahoe-26.3' },
    );
  });

  test('I36 Cluster API clones a builder template without a runner version', async () => {
    await createFleet('builder', { ghActionsRunner: { ghOrg: 'acme', ghAppSecretName: 'builders-github-app' } });
    const { spec } = await clonedFrom('builder');
    assert.equal(spec?.ghActionsRunner?.ghAppSecretName, 'builders-github-app');
    assert.equal(await cloningFailed(), false);
  });
});

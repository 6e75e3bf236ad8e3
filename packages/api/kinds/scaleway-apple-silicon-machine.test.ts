import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineConditions, machineReasons } from './machine-conditions.ts';
import { scalewayAppleSiliconMachine } from './scaleway-apple-silicon-machine.ts';

const machine = (spec?: unknown, status?: unknown) => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
  kind: 'ScalewayAppleSiliconMachine',
  metadata: { name: 'runners-a', namespace: 'fleet' },
  ...(spec === undefined ? {} : { spec }),
  ...(status === undefined ? {} : { status }),
});

test('I36 a machine without any spec is valid and gets the defaults of the seeds', () => {
  assert.equal(scalewayAppleSiliconMachine.validate(machine()).ok, true);
  assert.deepEqual(scalewayAppleSiliconMachine.withDefaults(machine()).spec, {
    type: 'M2-L',
    zone: 'fr-par-1',
    os: 'macos-tahoe-26.3',
    hostRelease: 'Return',
  });
});

test('I36 a builder without a runner version is valid and gets labels', () => {
  const { spec } = scalewayAppleSiliconMachine.withDefaults(machine({ ghActionsRunner: { ghOrg: 'acme' } }));
  assert.deepEqual(spec.ghActionsRunner, {
    ghOrg: 'acme',
    ghRunnerLabels: 'self-hosted,macos,bare-metal,vm-image-builder',
  });
});

test('a builder without an organization is rejected with the next action, and gets none by default', () => {
  const { problems } = scalewayAppleSiliconMachine.validate(machine({ ghActionsRunner: {} }));
  assert.deepEqual(problems, [
    {
      path: 'spec.ghActionsRunner',
      message: 'ghActionsRunner.ghOrg is missing; set it to the GitHub organization of the runner, for example my-org',
    },
  ]);
});

test('every field of the older system is accepted as it was written', () => {
  const older = {
    providerID: 'scw-applesilicon://fr-par-1/8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11',
    type: 'M2-L',
    zone: 'fr-par-1',
    os: 'Tahoe',
    fleetName: '',
    kubeletVersion: 'v1.33.1',
    hostCPU: 0,
    hostMemoryMB: 0,
    adoptPoolPrefix: '',
    ghActionsRunner: {
      ghOrg: 'tuist',
      ghRunnerLabels: 'self-hosted,macos',
      ghRunnerVersion: '2.334.0',
      ghAppSecretName: 'github-app',
    },
  };
  const status = {
    serverID: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11',
    ready: true,
    phase: 'Ready',
    hostConfigHash: 'abc',
  };
  assert.deepEqual(scalewayAppleSiliconMachine.validate(machine(older, status)).problems, []);
});

test('a misspelt field is named with the one that was meant', () => {
  const { problems } = scalewayAppleSiliconMachine.validate(machine({ adoptPoolPrefx: 'tuist-pool-' }));
  assert.deepEqual(problems, [
    { path: 'spec.adoptPoolPrefx', message: 'unknown field spec.adoptPoolPrefx: did you mean adoptPoolPrefix?' },
  ]);
});

test('there is a condition for each phase, and reasons are constants', () => {
  assert.deepEqual(Object.keys(machineConditions), [
    'ClusterReady',
    'HostClaimed',
    'OSImageCurrent',
    'CredentialsReady',
    'JoinMaterialReady',
    'HostBootstrapped',
    'BuilderRunnerOnline',
    'NodeReady',
    'ServingCertificateReady',
    'Ready',
    'LocalNetworkGranted',
    'Paused',
    'Deleting',
  ]);
  assert.equal(machineReasons.NoHostAvailable, 'NoHostAvailable');
});

test('kubectl get shows where a machine is stuck', () => {
  const columns = scalewayAppleSiliconMachine.crd().spec.versions[0]?.additionalPrinterColumns ?? [];
  const narrow = columns.filter(column => (column.priority ?? 0) === 0).map(column => column.name);
  const wide = columns.filter(column => column.priority === 10).map(column => column.name);
  assert.deepEqual(narrow, ['Cluster', 'Machine', 'Host', 'Step', 'Ready', 'Age', 'Why']);
  assert.deepEqual(wide, ['ProviderID', 'Paused']);
});

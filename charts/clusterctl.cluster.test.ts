import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { clusterForTests, run } from '@minifleet/local-cluster/testing/cluster-for-tests';
import { providerFlags } from '@minifleet/provider/testing/program';
import { stringify } from 'yaml';
import { certManagerKinds, clusterctlRepository, type Repository } from './testing/clusterctl-repository.ts';
import { argumentsOf, fileWith, find, manifestsIn } from './testing/helm.ts';

const asset = (name: string) =>
  manifestsIn(readFileSync(new URL(`../config/clusterctl/${name}`, import.meta.url), 'utf8'));

describe('clusterctl with a local repository', () => {
  const cluster = clusterForTests({ components: ['etcd', 'kube-apiserver'] });
  const kubectl = (...argv: string[]) => run('kubectl', `--kubeconfig=${cluster().kubeconfigs.admin.path}`, ...argv);
  let repository: Repository;
  const clusterctl = (...argv: string[]) =>
    run('clusterctl', ...argv, '--config', repository.config, '--kubeconfig', cluster().kubeconfigs.admin.path);
  const generate = () =>
    clusterctl(
      'generate',
      'cluster',
      'macs',
      '--infrastructure',
      'minifleet',
      '--target-namespace',
      'default',
      '--worker-machine-count',
      '2',
    );

  before(async () => {
    const variables = { SCW_ACCESS_KEY: 'SCWXXXXXXXXXXXXXXXXX', MINIFLEET_CONTROL_PLANE_HOST: 'kube.example.com' };
    repository = await clusterctlRepository({ ...variables, MINIFLEET_PROVIDER_IMAGE: 'ghcr.io/acme/provider:1' });
    await kubectl(
      'apply',
      '-f',
      fileWith(certManagerKinds.map(kind => stringify(kind)).join('---\n'), 'cert-manager.yaml'),
    );
    await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=180s');
  });
  after(() => repository.remove());

  test('clusterctl init installs the provider with its CRDs and permissions', async () => {
    await clusterctl(
      'init',
      '--core',
      'cluster-api',
      '--bootstrap',
      '-',
      '--control-plane',
      '-',
      '--infrastructure',
      'minifleet',
    );
    await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=180s');
    const image = ['get', 'deployment', 'minifleet-provider', '--namespace=minifleet-system'];
    assert.equal(
      await kubectl(...image, '--output=jsonpath={.spec.template.spec.containers[?(@.name=="manager")].image}'),
      'ghcr.io/acme/provider:1',
    );
    const secret = await kubectl(
      'get',
      'secret',
      'minifleet-scaleway',
      '--namespace=minifleet-system',
      '--output=jsonpath={.data.access-key}',
    );
    assert.equal(Buffer.from(secret, 'base64').toString(), 'SCWXXXXXXXXXXXXXXXXX');
    assert.match(
      await kubectl('get', 'providers.clusterctl.cluster.x-k8s.io', '--all-namespaces'),
      /infrastructure-minifleet +.*v0\.1\.0/,
    );
  });

  test('clusterctl generate cluster gives objects that a strict API server accepts, and describe shows them', async () => {
    const file = fileWith(await generate(), 'cluster.yaml');
    const applied = await kubectl('apply', '-f', file, '--server-side', '--validate=strict', '--output=name');
    assert.match(applied, /machinedeployment.cluster.x-k8s.io\/macs-macs/);
    const fleet = JSON.parse(await kubectl('get', 'machinedeployment', 'macs-macs', '--output=json')) as {
      spec: { replicas: number };
    };
    assert.equal(fleet.spec.replicas, 2);
    assert.match(
      await clusterctl('describe', 'cluster', 'macs'),
      /Cluster default\/macs[\s\S]*ExternalControlPlane default\/macs/,
    );
  });
});

test('clusterctl installs one movable namespace only; the permissions in kube-system are applied separately', () => {
  const components = asset('infrastructure-components.yaml');
  const elsewhere = components.filter(
    ({ metadata }) => (metadata.namespace ?? 'minifleet-system') !== 'minifleet-system',
  );
  assert.deepEqual(elsewhere, []);
  assert.equal(components.filter(({ kind }) => kind === 'Namespace').length, 1);
  const page = readFileSync(new URL('../config/clusterctl/README.md', import.meta.url), 'utf8');
  assert.match(page, /kubectl apply -f config\/rbac\/bootstrap-tokens\.yaml/);
  const variables = [
    ...JSON.stringify([components, asset('cluster-template.yaml')]).matchAll(/\$\{((?:MINIFLEET|SCW)_\w+)/g),
  ];
  for (const [, name = ''] of variables) assert.ok(page.includes(`\`${name}\``), name);
});

test('clusterctl: the provider accepts the flags of its manifest', () => {
  const provider = find(asset('infrastructure-components.yaml'), 'Deployment', 'minifleet-provider');
  assert.equal(providerFlags.parse(argumentsOf(provider)).leaderElect, true);
});

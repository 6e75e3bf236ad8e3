import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLUSTER_API_VERSION, findBinaries } from '@minifleet/local-cluster';
import { stringify } from 'yaml';
import packageFile from '../../package.json' with { type: 'json' };

const ASSETS = new URL('../../config/clusterctl', import.meta.url).pathname;

export interface Repository {
  /** Settings of clusterctl with every variable. */
  readonly config: string;
  remove(): void;
}

/** A local repository with Minifleet's files, and only the CRDs of Cluster API: its manager is a local process here, not a Pod. */
export async function clusterctlRepository(variables: Readonly<Record<string, string>>): Promise<Repository> {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-clusterctl-'));
  const ours = join(folder, 'infrastructure-minifleet', `v${packageFile.version}`);
  cpSync(ASSETS, ours, { recursive: true });
  const core = join(folder, 'cluster-api', CLUSTER_API_VERSION);
  mkdirSync(core, { recursive: true });
  writeFileSync(join(core, 'core-components.yaml'), await coreKinds());
  const [major, minor] = CLUSTER_API_VERSION.slice(1).split('.').map(Number);
  const series = { releaseSeries: [{ major, minor, contract: 'v1beta2' }] };
  writeFileSync(
    join(core, 'metadata.yaml'),
    stringify({ apiVersion: 'clusterctl.cluster.x-k8s.io/v1alpha3', kind: 'Metadata', ...series }),
  );
  const config = join(folder, 'clusterctl.yaml');
  const provider = (name: string, type: string, url: string) => ({ name, type, url });
  writeFileSync(
    config,
    stringify({
      providers: [
        provider('minifleet', 'InfrastructureProvider', join(ours, 'infrastructure-components.yaml')),
        provider('cluster-api', 'CoreProvider', join(core, 'core-components.yaml')),
      ],
      'cert-manager': { externallyProvisioned: true },
      CLUSTERCTL_DISABLE_VERSIONCHECK: 'true',
      ...variables,
    }),
  );
  return { config, remove: () => rmSync(folder, { recursive: true }) };
}

async function coreKinds(): Promise<string> {
  const files = await findBinaries({ programs: ['capi-manifests'] });
  const { crds } = JSON.parse(readFileSync(files['capi-manifests'], 'utf8')) as { crds: readonly object[] };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'capi-system' } };
  return [namespace, ...crds].map(object => stringify(object)).join('---\n');
}

/** The part of cert-manager that `clusterctl init` checks: its CRDs. */
export const certManagerKinds = ['Issuer', 'Certificate'].map(kind => {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.cert-manager.io` },
    spec: {
      group: 'cert-manager.io',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
});

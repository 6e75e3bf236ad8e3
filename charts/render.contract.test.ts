import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { macHost, macMachineTemplate, runnerPool } from '@minifleet/api';
import { minutes } from '@minifleet/clock';
import { parseGateFlags } from '@minifleet/provider/testing/fleet-gate';
import { providerFlags } from '@minifleet/provider/testing/program';
import { runnersFlags } from '@minifleet/runners/testing/program';
import { readFleetFile, TART } from '@minifleet/spec-file';
import { rbacFiles } from '../scripts/rbac-files.ts';
import {
  argumentsOf,
  fileWith,
  find,
  HELMS,
  lint,
  type Manifest,
  manifestsIn,
  ofKind,
  podTemplateOf,
  render,
  type Values,
} from './testing/helm.ts';
import { everythingWith, OWNED_MACS, PERMUTATIONS } from './testing/permutations.ts';

describe('chart permutations: every choice of fleets with every kind of Secret', () => {
  for (const { name, values, fleets, source } of PERMUTATIONS) {
    test(`chart ${name}: Helm 3 and 4 lint it without findings and render the same`, async () => {
      const reports = await Promise.all(HELMS.map(helm => lint(helm, values)));
      for (const report of reports) assert.match(report, /1 chart\(s\) linted, 0 chart\(s\) failed/);
      const [four, three] = await Promise.all(HELMS.map(helm => render(helm, values)));
      assert.deepEqual(new Set(four?.map(one => JSON.stringify(one))), new Set(three?.map(one => JSON.stringify(one))));
      assert.equal(ofKind(four ?? [], 'MachineDeployment').length, fleets.length);
      assert.equal(ofKind(four ?? [], 'Cluster').length, fleets.length > 0 ? 1 : 0, 'one Cluster for whichever fleet');
      assert.equal(ofKind(four ?? [], 'ExternalSecret').length > 0, source === 'external');
    });
  }
});

describe('chart without values', () => {
  test('chart without values: it needs no Secret and renders no fleet', async () => {
    const manifests = await render('helm', {});
    for (const kind of ['Secret', 'ExternalSecret', 'MachineDeployment', 'RunnerPool', 'Job']) {
      assert.deepEqual(ofKind(manifests, kind), [], kind);
    }
    assert.doesNotMatch(JSON.stringify(manifests), /secretKeyRef/);
  });

  test('chart: the provider can read the rendered fleet file', async () => {
    const tart = { version: TART.version, archive: fileWith('an archive') };
    const builder = { runner: { archive: fileWith('a runner') } };
    const hosts = { agent: { binary: fileWith('an agent') }, tart, builder, localNetwork: false };
    const given = await render('helm', { provider: { hosts } });
    const fleet = dataOf(find(given, 'ConfigMap', 'minifleet-provider'))['fleet.yaml'] ?? '';
    assert.equal((await readFleetFile(fileWith(fleet, 'fleet.yaml'))).localNetwork, false);
  });
});

describe('chart owned Macs', () => {
  test('chart owned Macs: each is a valid MacHost that is kept on uninstall', async () => {
    const hosts = ofKind(await render('helm', OWNED_MACS), 'MacHost');
    assert.deepEqual(
      hosts.map(({ metadata, spec }) => [metadata.name, metadata.annotations?.['helm.sh/resource-policy'], spec]),
      [
        ['mini-01', 'keep', { pool: 'desk', source: { owned: { address: '192.0.2.11', user: 'admin' } } }],
        [
          'mini-02',
          'keep',
          {
            pool: 'desk',
            source: {
              owned: { address: '192.0.2.12', user: 'admin', port: 2222, type: 'M4', os: 'macos-tahoe-26.3' },
            },
          },
        ],
      ],
    );
    for (const host of hosts) assert.deepEqual(macHost.validate(host), { ok: true, problems: [] });
  });

  test('chart owned Macs: their fleet has MacMachines of the pool, without zone and without a Secret', async () => {
    const manifests = await render('helm', OWNED_MACS);
    const deployment = find(manifests, 'MachineDeployment', 'minifleet-macos-fleet') as never as Deployment;
    const { kind, name } = deployment.spec.template.spec.infrastructureRef;
    assert.equal(kind, 'MacMachineTemplate');
    const template = find(manifests, 'MacMachineTemplate', name);
    assert.deepEqual(macMachineTemplate.validate(template), { ok: true, problems: [] });
    assert.deepEqual((template.spec as never as { template: object }).template, {
      spec: { fleetName: 'minifleet-macos-fleet', hostRelease: 'Return', pool: 'desk' },
    });
    const flags = argumentsOf(find(manifests, 'Deployment', 'minifleet-provider'));
    assert.deepEqual(
      flags.filter(flag => flag.startsWith('--zones')),
      [],
    );
    assert.doesNotMatch(JSON.stringify(manifests), /secretKeyRef/);
  });
});

describe('chart programs', () => {
  test('chart programs: they accept every rendered flag, including extra flags', async () => {
    const flags = { 'inspect-every': '5m', 'bootstrap-concurrency': 4, 'discovery-interval': '30s' };
    const everything = everythingWith('existing');
    const manifests = await render('helm', {
      ...everything,
      provider: { ...(everything['provider'] as object), flags },
      runners: { flags: { 'pool-concurrency': 2 } },
    });
    const provider = providerFlags.parse(argumentsOf(find(manifests, 'Deployment', 'minifleet-provider')));
    assert.equal(provider.leaderElect, true);
    assert.equal(provider.bootstrap.concurrency, 4);
    assert.deepEqual(provider.discovery.zones, ['fr-par-1', 'fr-par-3'], 'of all fleets');
    const runners = runnersFlags.parse(argumentsOf(find(manifests, 'Deployment', 'minifleet-runners')));
    assert.equal(runners.namespace, 'tuist-runners');
    assert.equal(runners.concurrency, 2);
  });

  test('chart programs: the provider returns orphaned hosts only with provider.reclaimOrphans', async () => {
    const flags = async (values: Values) =>
      argumentsOf(find(await render('helm', values), 'Deployment', 'minifleet-provider'));
    assert.ok(!(await flags({})).includes('--reclaim-orphans'));
    assert.ok((await flags({ provider: { reclaimOrphans: true } })).includes('--reclaim-orphans'));
  });

  test('chart programs: they have exactly the permissions of config/rbac, in the namespaces of the release', async () => {
    const written = rbacFiles().flatMap(([, text]) => manifestsIn(text));
    const rendered = await render('helm', {});
    const rights = (all: readonly Manifest[]) =>
      all
        .filter(one => /Role|ServiceAccount|ValidatingAdmission/.test(one.kind))
        .map(one => JSON.stringify(withoutLabels(one), sorted));
    assert.deepEqual(new Set(rights(rendered)), new Set(rights(written)));
    const elsewhere = JSON.stringify(await render('helm', { runnerPools: { namespace: 'ci' } }, 'macs'));
    assert.doesNotMatch(elsewhere, /minifleet-system|tuist-runners/);
  });

  test('chart programs: a digest replaces the tag of an image, in the gate as well', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const manifests = await render('helm', {
      ...OWNED_MACS,
      imageRegistry: 'ghcr.io/acme/',
      provider: { image: { digest, tag: 'ignored' } },
    });
    const image = (kind: string, name: string) => podTemplateOf(find(manifests, kind, name)).spec.containers[0]?.image;
    assert.equal(image('Deployment', 'minifleet-provider'), `ghcr.io/acme/minifleet-provider@${digest}`);
    assert.equal(image('Job', 'minifleet-fleet-gate'), `ghcr.io/acme/minifleet-provider@${digest}`);
    assert.equal(image('Deployment', 'minifleet-runners'), 'ghcr.io/acme/minifleet-runners:0.1.0');
  });

  test('chart programs: images loaded into the Nodes need no registry', async () => {
    const image = { pullPolicy: 'Never' };
    const manifests = await render('helm', {
      ...{ ...OWNED_MACS, imageRegistry: '' },
      ...{ provider: { image }, runners: { image: { repository: 'ghcr.io/acme/minifleet-runners' } } },
    });
    assert.equal(ofKind(manifests, 'Deployment').length, 2);
  });

  test('chart programs: their Pods are replaced when the configuration read at start changes', async () => {
    const pod = async (values: Values) =>
      podTemplateOf(find(await render('helm', values), 'Deployment', 'minifleet-provider')).metadata;
    assert.notDeepEqual(await pod({}), await pod({ provider: { hosts: { localNetwork: false } } }));
  });
});

describe('chart fleets', () => {
  const one = (fleet: Values): Values => ({ ...everythingWith('existing'), macosFleet: { enabled: true, ...fleet } });
  const template = async (fleet: Values) => {
    const manifests = await render('helm', one(fleet));
    const deployment = find(manifests, 'MachineDeployment', 'minifleet-macos-fleet') as never as Deployment;
    const { name } = deployment.spec.template.spec.infrastructureRef;
    return find(manifests, 'ScalewayAppleSiliconMachineTemplate', name);
  };

  test('W16 the template of a fleet is named by its content, and kept', async () => {
    const first = await template({});
    assert.equal(
      (await template({ replicas: 7 })).metadata.name,
      first.metadata.name,
      'the number of Macs is not its content',
    );
    assert.notEqual((await template({ machine: { os: 'Tahoe' } })).metadata.name, first.metadata.name);
    const all = ofKind(await render('helm', everythingWith('existing')), 'ScalewayAppleSiliconMachineTemplate');
    assert.equal(all.length, 4);
    for (const { metadata } of all) {
      assert.match(metadata.name, /-[0-9a-f]{8}$/);
      assert.equal(metadata.annotations?.['helm.sh/resource-policy'], 'keep');
    }
  });

  test('W17 a fleet scaled by others has no replica count in its manifest', async () => {
    const manifests = await render('helm', everythingWith('existing'));
    const runners = find(manifests, 'MachineDeployment', 'minifleet-runners-fleet') as never as Deployment;
    assert.ok(!('replicas' in runners.spec));
    assert.ok(!('replicas' in (find(manifests, 'RunnerPool', 'macos-15').spec as never as object)));
    const macos = find(manifests, 'MachineDeployment', 'minifleet-macos-fleet') as never as Deployment;
    assert.equal(macos.spec.replicas, 2);
  });

  test('chart fleets: one with Macs is kept on uninstall, an empty one is not', async () => {
    const manifests = await render('helm', everythingWith('existing'));
    const kept = (name: string) =>
      find(manifests, 'MachineDeployment', name).metadata.annotations?.['helm.sh/resource-policy'];
    assert.equal(kept('minifleet-macos-fleet'), 'keep');
    assert.equal(kept('minifleet-spare'), undefined);
  });

  test('chart fleets: the explicit values 0 and false are used', async () => {
    const manifests = await render('helm', one({ replicas: 0, healthCheck: { enabled: false } }));
    assert.equal(
      (find(manifests, 'MachineDeployment', 'minifleet-macos-fleet') as never as Deployment).spec.replicas,
      0,
    );
    assert.ok(
      !ofKind(manifests, 'MachineHealthCheck').some(({ metadata }) => metadata.name === 'minifleet-macos-fleet'),
    );
  });
});

describe('chart with the External Secrets Operator', () => {
  test('W14 Secrets of the External Secrets Operator have no owner and stay: they would be deleted with their hook', async () => {
    const secrets = ofKind(await render('helm', everythingWith('external')), 'ExternalSecret');
    assert.equal(secrets.length, 4);
    for (const { metadata, spec } of secrets) {
      const { target } = spec as never as { target: object };
      assert.deepEqual(
        { ...target, template: undefined },
        {
          name: metadata.name,
          creationPolicy: 'Orphan',
          deletionPolicy: 'Retain',
          template: undefined,
        },
      );
      assert.equal(
        metadata.annotations?.['helm.sh/hook'],
        metadata.namespace === 'tuist-runners' ? undefined : 'pre-install,pre-upgrade',
      );
    }
  });

  test('chart: the kubeconfig Secret has the type and label that Cluster API requires', async () => {
    const secret = find(await render('helm', everythingWith('external')), 'ExternalSecret', 'minifleet-kubeconfig');
    const { target, data } = secret.spec as never as {
      target: { template: unknown };
      data: readonly { secretKey: string }[];
    };
    assert.deepEqual(target.template, {
      type: 'cluster.x-k8s.io/secret',
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'minifleet' } },
    });
    assert.deepEqual(
      data.map(({ secretKey }) => secretKey),
      ['value'],
    );
  });
});

test('chart: the gate is one container, because Helm shows no other log', async () => {
  const gate = find(await render('helm', everythingWith('existing')), 'Job', 'minifleet-fleet-gate');
  const { containers, initContainers } = podTemplateOf(gate).spec;
  assert.deepEqual([containers.length, initContainers], [1, undefined]);
  const [command = '', ...flags] = argumentsOf(gate);
  assert.equal(command, 'wait-for-fleets');
  const { fleets, timeout, progressTimeout } = parseGateFlags(flags);
  assert.deepEqual([timeout, progressTimeout], [minutes(240), minutes(45)]);
  assert.deepEqual(fleets, [
    'minifleet-macos-fleet',
    'minifleet-runners-fleet',
    'minifleet-builders-fleet',
    'minifleet-spare',
  ]);
});

test('chart README: its example values file works', async () => {
  const page = readFileSync(new URL('minifleet/README.md', import.meta.url), 'utf8');
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  const [values] = manifestsIn(yaml) as unknown as Values[];
  assert.equal(ofKind(await render('helm', values ?? {}), 'MachineDeployment').length, 1);
});

for (const file of ['own-cluster-owned', 'own-cluster-scaleway']) {
  test(`chart: docs/examples/${file}.values.yaml renders a fleet and a pool that selects it`, async () => {
    const text = readFileSync(new URL(`../docs/examples/${file}.values.yaml`, import.meta.url), 'utf8');
    const [values] = manifestsIn(text) as unknown as Values[];
    const manifests = await render('helm', values ?? {});
    assert.equal(find(manifests, 'MachineDeployment', 'runners').kind, 'MachineDeployment');
    const pool = find(manifests, 'RunnerPool', 'macos-26');
    assert.equal((pool.spec as never as { fleetSelector: string }).fleetSelector, 'runners');
    assert.deepEqual(runnerPool.validate(pool), { ok: true, problems: [] });
  });
}

interface Deployment {
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: { readonly infrastructureRef: { readonly kind: string; readonly name: string } };
    };
  };
}

const dataOf = (manifest: Manifest) => manifest['data'] as Readonly<Record<string, string>>;

const withoutLabels = ({ metadata, ...rest }: Manifest) => ({ ...rest, metadata: { ...metadata, labels: undefined } });

/** Compares objects with sorted fields, because Helm sorts them. */
const sorted = (_: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a.localeCompare(b)))
    : value;

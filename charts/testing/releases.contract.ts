/**
 * Contract of a release for both Helm versions: install, upgrade, rollback, uninstall, on a real API server with a real
 * Cluster API manager.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '@minifleet/clock';
import { type Client, connectClient, readKubeconfig } from '@minifleet/kube';
import { clusterWithKinds, installKinds } from './cluster-with-kinds.ts';
import {
  argumentsOf,
  CHART,
  CRDS_CHART,
  find,
  type Helm,
  type Manifest,
  NAMESPACE,
  render,
  type Values,
  valuesFile,
} from './helm.ts';
import { standInForKubelets } from './kubelet-stand-in.ts';
import { everythingWith } from './permutations.ts';

// No kubelet here would run the Job.
const plain: Values = { ...everythingWith('plain'), fleetGate: { enabled: false } };
const provider = plain['provider'] as object;
const tahoe = { enabled: true, replicas: 2, machine: { os: 'Tahoe' } };
const MACOS = 'minifleet-macos-fleet';
const RUNNERS = 'minifleet-runners-fleet';
const WAIT = ['--wait', '--timeout=180s'];
const PROVIDER = fileURLToPath(new URL('../../packages/provider/main.ts', import.meta.url));

const ATOMIC: Readonly<Record<Helm, readonly string[]>> = {
  helm: ['--rollback-on-failure', '--wait', '--timeout=10s'],
  helm3: ['--atomic', '--timeout=10s'],
};

export function releasesWith(helm: Helm): void {
  void describe(`a release of ${helm} on a real API server`, () => {
    const kinds = clusterWithKinds(['kube-controller-manager']);
    const { kubectl, get } = kinds;
    const upgrade = (values: Values, ...more: string[]) =>
      kinds.helm(helm, 'upgrade', '--install', 'minifleet', CHART, '--values', valuesFile(values), ...more);
    const rollback = (revision: number) => kinds.helm(helm, 'rollback', 'minifleet', String(revision));
    const release = async () => JSON.parse(await kinds.helm(helm, 'status', 'minifleet', '--output=json')) as Release;
    const fleet = async (name: string) => (await get('machinedeployment', name)) as never as Fleet;
    const replicas = async (name: string) => (await fleet(name)).spec.replicas;
    const templateOf = async (name: string) => (await fleet(name)).spec.template.spec.infrastructureRef.name;
    const names = async (kind: string, namespace = NAMESPACE) =>
      (await kubectl('get', kind, `--namespace=${namespace}`, '--output=name')).split('\n').filter(Boolean);

    const stop = new AbortController();
    let client: Client;
    let standIn: Promise<void>;
    before(() => {
      client = connectClient(readKubeconfig(kinds.cluster().kubeconfigs.admin.path), { clock: systemClock });
      standIn = standInForKubelets(client, stop.signal);
    });
    after(async () => {
      stop.abort();
      await standIn;
      await client.close();
    });

    void test('chart release: a cluster without the CRDs is an error with the command that installs them', async () => {
      const words = /the CRDs of minifleet are not installed: run helm upgrade --install minifleet-crds/;
      await assert.rejects(upgrade(plain, '--create-namespace'), words);
    });

    void test('chart release: older CRDs are an error until their chart is upgraded', async () => {
      const older = olderCopy(CRDS_CHART, {});
      await installKinds(kinds, helm, older);
      await assert.rejects(
        upgrade(plain),
        /the CRDs of minifleet have version 0\.0\.9, but this chart has 0\.1\.0: run helm upgrade/,
      );
      await installKinds(kinds, helm);
    });

    void test('chart release: an installation without an image registry is an error with the next action', async () => {
      await assert.rejects(
        upgrade({}),
        /imageRegistry is empty, .*: build and push the images .*then set imageRegistry/,
      );
    });

    void test('chart release: it creates fleets, pools and programs, and an unchanged upgrade changes no fleet', async () => {
      await upgrade(plain, ...WAIT);
      assert.equal((await release()).info.status, 'deployed');
      assert.equal(await replicas(MACOS), 2);
      const { generation } = (await fleet(MACOS)).metadata;
      await upgrade(plain);
      assert.equal((await fleet(MACOS)).metadata.generation, generation);
    });

    void test('W16 another macOS creates a new template; the old one stays for its Machines and for a rollback', async () => {
      const first = await templateOf(MACOS);
      const { version } = await release();
      await upgrade({ ...plain, macosFleet: tahoe });
      const second = await templateOf(MACOS);
      assert.notEqual(second, first);
      await rollback(version);
      assert.equal(await templateOf(MACOS), first);
      const templates = (await names('scalewayapplesiliconmachinetemplates')).join();
      assert.ok(templates.includes(first) && templates.includes(second), templates);
    });

    void test('W17 upgrades and rollbacks keep the size of a fleet that others scale', async () => {
      await kubectl('scale', 'machinedeployment', RUNNERS, '--replicas=5', `--namespace=${NAMESPACE}`);
      const { version } = await release();
      await upgrade({ ...plain, provider: { ...provider, logLevel: 'debug' } });
      assert.equal(await replicas(RUNNERS), 5);
      await rollback(version);
      assert.equal(await replicas(RUNNERS), 5);
    });

    void test('W17 turning on autoscaling keeps the Macs of a fleet', async () => {
      await upgrade({ ...plain, macosFleet: { enabled: true, replicas: 4 } });
      assert.equal(await replicas(MACOS), 4);
      const autoscaling = { enabled: true, minSize: 0, maxSize: 9 };
      await upgrade({ ...plain, macosFleet: { enabled: true, autoscaling } });
      assert.equal(await replicas(MACOS), 4);
    });

    void test('chart release: an upgrade keeps the claim of an owned Mac, and removing one in the values is an error', async () => {
      const mac = { name: 'mini-01', pool: 'desk', address: '192.0.2.11', user: 'admin' };
      await upgrade({ ...plain, inventory: { hosts: [mac] } });
      const consumerRef = { apiGroup: 'a', kind: 'MacMachine', namespace: NAMESPACE, name: 'desk-a', uid: '1' };
      const claim = JSON.stringify({ spec: { consumerRef, claimEpoch: 1 } });
      await kubectl('patch', 'machost', 'mini-01', '--type=merge', '--patch', claim);
      await upgrade({ ...plain, inventory: { hosts: [{ ...mac, address: '192.0.2.12' }] } });
      const { spec } = await get('machost', 'mini-01');
      const source = { owned: { address: '192.0.2.12', port: 22, user: 'admin' } };
      assert.deepEqual(spec, { pool: 'desk', source, consumerRef, claimEpoch: 1 });
      await assert.rejects(
        upgrade(plain),
        /Mac mini-01 is no longer in inventory\.hosts: run kubectl delete machost mini-01/,
      );
      await kubectl('delete', 'machost', 'mini-01');
      await upgrade(plain);
    });

    void test('I21 W18 a failed atomic upgrade rolls back to a revision of an older chart without blocking the release', async () => {
      const older = olderCopy(CHART, {
        'templates/_fleets.tpl': text => text.replaceAll(/^(adoptPoolPrefix|hostRelease|os): .*\n/gm, ''),
      });
      await kinds.helm(helm, 'upgrade', 'minifleet', older, '--values', valuesFile(plain));
      const template = await templateOf(MACOS);
      const broken = { ...plain, provider: { ...provider, image: { tag: 'broken' } }, macosFleet: tahoe };
      await assert.rejects(upgrade(broken, ...ATOMIC[helm]), /(timed out|deadline|context|rate limiter|not ready)/i);
      assert.equal((await release()).info.status, 'deployed');
      assert.equal(await templateOf(MACOS), template, 'nothing that the older chart did not know is missed');
      assert.equal(await replicas(RUNNERS), 5, 'no Mac that others asked for is given back');
      await upgrade(plain, ...WAIT);
    });

    void test('I16 W14 upgrades and rollbacks keep a Secret of the External Secrets Operator', async () => {
      const { version } = await release();
      const external: Values = { ...everythingWith('external'), fleetGate: { enabled: false } };
      await upgrade(external);
      const hook = await get('externalsecret', 'minifleet-kubeconfig');
      await kubectl(
        'create',
        'secret',
        'generic',
        'minifleet-kubeconfig',
        '--from-literal=value=a',
        `--namespace=${NAMESPACE}`,
      );
      const secret = await get('secret', 'minifleet-kubeconfig');
      await upgrade(external);
      assert.notEqual(uid(await get('externalsecret', 'minifleet-kubeconfig')), uid(hook), 'the hook was recreated');
      await rollback(version);
      assert.equal(uid(await get('secret', 'minifleet-kubeconfig')), uid(secret));
    });

    void test('chart release: a fleet with Macs or a pool that is removed from the values is an error with its name', async () => {
      await assert.rejects(
        upgrade({ ...plain, macosFleet: { enabled: false } }),
        /fleet minifleet-macos-fleet has Macs but is no longer in the values: set its replicas to 0/,
      );
      const { runnerPools } = plain as { runnerPools: object };
      await assert.rejects(
        upgrade({ ...plain, runnerPools: { ...runnerPools, pools: {} } }),
        /pool macos-15 is no longer in the values: run kubectl delete/,
      );
      await upgrade({ ...plain, fleets: {} });
      // A fleet without Macs is deleted.
      await kubectl(
        'wait',
        '--for=delete',
        'machinedeployment/minifleet-spare',
        `--namespace=${NAMESPACE}`,
        '--timeout=180s',
      );
    });

    void test('chart release: the gate fails while a fleet is not Available, and succeeds once all are', async () => {
      const gate = await gateArguments(helm);
      const provider = () => runProvider([...gate, `--kubeconfig=${kinds.cluster().kubeconfigs.admin.path}`]);
      await assert.rejects(provider(), ({ stdout, stderr }: Record<'stdout' | 'stderr', string>) => {
        assert.match(stdout, /^minifleet-macos-fleet: not Available, 0 of 2 Macs$/m);
        assert.match(stdout, /^ {2}minifleet-macos-fleet-\S+: no status yet; check that the provider is running$/m);
        assert.match(stderr, /fleets .*minifleet-macos-fleet.* are not Available after 1s/);
        return true;
      });
      const core = kinds.cluster().component('capi-core');
      await core.pause();
      try {
        for (const name of [MACOS, RUNNERS, 'minifleet-builders-fleet']) {
          await kubectl(...available(name, (await fleet(name)).metadata.generation));
        }
        assert.match((await provider()).stdout, /^minifleet-macos-fleet: Available, /m);
      } finally {
        core.resume();
      }
    });

    void test('chart release: uninstall removes programs and permissions, and keeps Macs, pools and CRDs for a reinstall', async () => {
      await kinds.helm(helm, 'uninstall', 'minifleet');
      assert.deepEqual(await names('deployments'), []);
      assert.doesNotMatch((await names('clusterroles')).join(), /minifleet-|capi-remote/);
      assert.equal(await replicas(RUNNERS), 5);
      assert.equal((await names('clusters.cluster.x-k8s.io')).length, 1);
      assert.equal((await names('runnerpools', 'tuist-runners')).length, 2);
      await upgrade(plain);
      assert.equal(await replicas(RUNNERS), 5);
      await kinds.helm(helm, 'uninstall', 'minifleet-crds');
      assert.equal(await replicas(MACOS), 2);
    });
  });
}

interface Release {
  readonly version: number;
  readonly info: { readonly status: string };
}

interface Fleet {
  readonly metadata: { readonly generation: number };
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly infrastructureRef: { readonly name: string } } };
  };
}

const uid = ({ metadata }: Manifest): unknown => (metadata as { uid?: string }).uid;

/** A copy of the chart as an earlier release might have had it, removed after the tests. */
function olderCopy(chart: string, edits: Readonly<Record<string, (text: string) => string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'minifleet-older-chart-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  cpSync(chart, folder, { recursive: true });
  const older = { 'Chart.yaml': (text: string) => text.replace('version: 0.1.0', 'version: 0.0.9'), ...edits };
  for (const [file, edit] of Object.entries(older)) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    assert.notEqual(edit(text), text, `${file} is no other`);
    writeFileSync(path, edit(text));
  }
  return folder;
}

const runProvider = (argv: readonly string[]) => promisify(execFile)(process.execPath, [PROVIDER, ...argv]);

/** Returns the arguments of the Job's container, which runs the provider. */
async function gateArguments(helm: Helm): Promise<string[]> {
  const fleetGate = { enabled: true, timeoutSeconds: 1 };
  const manifests = await render(helm, { ...plain, fleets: {}, fleetGate });
  return [...argumentsOf(find(manifests, 'Job', 'minifleet-fleet-gate'))];
}

const available = (name: string, observedGeneration: number): string[] => {
  const condition = {
    type: 'Available',
    status: 'True',
    reason: 'StandIn',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const body = JSON.stringify({ status: { observedGeneration, conditions: [{ ...condition, observedGeneration }] } });
  return [
    'patch',
    'machinedeployment',
    name,
    `--namespace=${NAMESPACE}`,
    '--subresource=status',
    '--type=merge',
    '--patch',
    body,
  ];
};

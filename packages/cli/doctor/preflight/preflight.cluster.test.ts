import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Clock, milliseconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import {
  type Client,
  certificateSigningRequests,
  connectClient,
  nodes,
  readKubeconfig,
  secrets,
} from '@minifleet/kube';
import { type LocalCluster, startLocalCluster } from '@minifleet/local-cluster';
import { stringify } from 'yaml';
import type { CliContext } from '../../context.ts';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import { commandLine } from '../../testing/command-line.ts';
import { probeEndpoint } from './probe-endpoint.ts';

const folder = mkdtempSync(join(tmpdir(), 'minifleet-preflight-'));
after(() => rmSync(folder, { recursive: true }));

/** Waits ten times shorter than the command, so that a timeout does not take long. */
const fastClock: Clock = {
  ...systemClock,
  now: () => systemClock.now() * 10,
  after: (duration, callback) => systemClock.after(milliseconds(duration / 10), callback),
};

async function preflight(
  cluster: LocalCluster,
  argv: readonly string[],
  context: Partial<CliContext> = {},
): Promise<{ readonly code: number; readonly checks: readonly Diagnosis[] }> {
  const environment = { KUBECONFIG: cluster.kubeconfigs.admin.path };
  const run = commandLine({ clock: systemClock, environment, ...context });
  const { code, output, errors } = await run('doctor', '--preflight', '-o', 'json', ...argv);
  assert.notEqual(output, '', errors);
  return { code, checks: (JSON.parse(output) as { checks: Diagnosis[] }).checks };
}

const rowOf = (checks: readonly Diagnosis[], check: string): Diagnosis => {
  const row = checks.find(each => each.check === check);
  assert.ok(row, `${check} in ${checks.map(each => each.check).join(', ')}`);
  return row;
};

async function objectsOfTrials(client: Client): Promise<readonly string[]> {
  const [tokens, requests] = await Promise.all([
    client.list(secrets, { namespace: 'kube-system', fieldSelector: 'type=bootstrap.kubernetes.io/token' }),
    client.list(certificateSigningRequests),
  ]);
  return [...tokens.items, ...requests.items].map(({ metadata }) => metadata.name);
}

async function addLinuxNode(client: Client): Promise<void> {
  const labels = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
  await client.create(nodes, { metadata: { name: 'linux-1', labels } });
  const conditions = [{ type: 'Ready', status: 'True' }];
  const patch = { type: 'merge', body: { status: { conditions } } } as const;
  await client.patch(nodes, { name: 'linux-1' }, patch, { subresource: 'status' });
}

describe('minifleet doctor --preflight on a cluster that meets the requirements', () => {
  let cluster: LocalCluster;
  let client: Client;
  let values: string;
  before(async () => {
    cluster = await startLocalCluster({
      components: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'capi-core'],
    });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
    await addLinuxNode(client);
    const { hostname: host, port } = new URL(cluster.server);
    values = join(folder, 'values.yaml');
    const fleet = { enabled: true, pool: 'desk', machine: { kind: 'MacMachine' } };
    const controlPlaneEndpoint = { host, port: Number(port) };
    writeFileSync(
      values,
      stringify({ imageRegistry: 'ghcr.io/acme', cluster: { controlPlaneEndpoint }, runnersFleet: fleet }),
    );
  });
  after(async () => {
    await client?.close();
    await cluster?.stop();
  });

  test('preflight finds no problem and leaves no object of its checks behind', async () => {
    const { code, checks } = await preflight(cluster, ['--yes', '-f', values]);
    assert.deepEqual(
      checks.filter(({ state }) => state !== 'ok'),
      [],
    );
    assert.equal(code, 0);
    assert.match(rowOf(checks, 'bootstrap tokens').message, /accepts bootstrap tokens/);
    assert.match(rowOf(checks, 'endpoint').message, /responds with HTTP\/2 and a trusted certificate/);
    assert.deepEqual(await objectsOfTrials(client), []);
  });

  test('preflight without agreement creates nothing and reports these checks as unknown', async () => {
    const asked: string[] = [];
    const confirm = async (question: string) => {
      asked.push(question);
      return false;
    };
    const prompts = { confirm, password: async () => undefined };
    for (const context of [{}, { prompts }]) {
      const { code, checks } = await preflight(cluster, [], context);
      assert.equal(code, 1);
      const unknowns = checks.filter(({ state }) => state === 'unknown').map(({ check }) => check);
      assert.deepEqual(unknowns, ['bootstrap tokens', 'client signer', 'serving signer']);
      assert.match(rowOf(checks, 'bootstrap tokens').message, /creates and deletes an object; use --yes/);
    }
    assert.match(asked.join(), /^Test bootstrap tokens and certificate signing\? This creates a Secret in kube-system/);
  });

  test('preflight names missing permissions, and what a user may not check is unknown', async () => {
    const { path } = await cluster.userKubeconfig('guest');
    const { code, checks } = await preflight(cluster, ['--yes', '--kubeconfig', path]);
    assert.equal(code, 3);
    assert.match(rowOf(checks, 'permissions').message, /you are not allowed to create namespaces, .* and \d+ more/);
    assert.match(rowOf(checks, 'bootstrap tokens').message, /you are not allowed to create Secrets in kube-system/);
    assert.equal(rowOf(checks, 'Nodes').state, 'unknown');
    assert.match(rowOf(checks, 'client signer').message, /you are not allowed to create certificatesigningrequests/);
  });

  test('preflight reports a Cluster API whose webhooks do not respond', async () => {
    await cluster.component('capi-core').kill();
    const { checks } = await preflight(cluster, []);
    const row = rowOf(checks, 'webhooks');
    assert.equal(row.state, 'problem');
    assert.match(row.message, /failed calling webhook/);
  });

  test('the endpoint probe distinguishes a wrong name, a wrong authority and a closed port', async () => {
    const port = Number(new URL(cluster.server).port);
    const authority = cluster.certificateAuthority;
    assert.deepEqual(await probeEndpoint({ host: 'localhost', port }, authority), { kind: 'connected', alpn: 'h2' });
    assert.equal((await probeEndpoint({ host: '127.0.0.2', port }, authority)).kind, 'unreachable');
    assert.equal((await probeEndpoint({ host: '127.0.0.1', port: 1 }, authority)).kind, 'unreachable');
    assert.equal((await probeEndpoint({ host: '127.0.0.1', port }, '')).kind, 'certificate rejected');
  });
});

describe('minifleet doctor --preflight on a cluster without the requirements', () => {
  let cluster: LocalCluster;
  let client: Client;
  before(async () => {
    cluster = await startLocalCluster({
      components: ['etcd', 'kube-apiserver'],
      extraFlags: { 'kube-apiserver': { 'enable-bootstrap-token-auth': 'false' } },
    });
    client = connectClient(readKubeconfig(cluster.kubeconfigs.admin.path), { clock: systemClock });
  });
  after(async () => {
    await client?.close();
    await cluster?.stop();
  });

  test('preflight names every missing requirement with its impact and the next action', async () => {
    const { code, checks } = await preflight(cluster, ['--yes'], { clock: fastClock });
    assert.equal(code, 3);
    for (const [check, message, fix] of [
      ['Nodes', /no Linux Node/, /add a Linux Node/],
      ['Cluster API', /clusters\.cluster\.x-k8s\.io is missing/, /clusterctl init --bootstrap - --control-plane -/],
      ['bootstrap tokens', /did not accept a bootstrap token within 10s/, /--enable-bootstrap-token-auth/],
      ['client signer', /an approved request was not signed within 20s/, /--cluster-signing-cert-file/],
      ['serving signer', /an approved request was not signed within 20s/, /kubelet-serving/],
    ] as const) {
      const row = rowOf(checks, check);
      assert.equal(row.state, 'problem', check);
      assert.match(row.message, message);
      assert.match(row.fix ?? '', fix);
      assert.ok(row.impact, check);
    }
    assert.deepEqual(await objectsOfTrials(client), []);
  });

  test('an interrupted preflight deletes the objects of its checks', async () => {
    const stop = new AbortController();
    const environment = { KUBECONFIG: cluster.kubeconfigs.admin.path };
    const running = commandLine({ clock: systemClock, environment, signal: stop.signal })(
      'doctor',
      '--preflight',
      '--yes',
    );
    await eventually(async () => (await objectsOfTrials(client)).length === 3);
    stop.abort();
    assert.equal((await running).code, 130);
    assert.deepEqual(await objectsOfTrials(client), []);
  });
});

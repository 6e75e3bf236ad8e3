import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { tartOf } from '@minifleet/world/mac';
import type { AgentMac } from './testing/agent-mac.ts';
import { createKubectlDriver, type KubectlDriver } from './testing/kubectl-driver.ts';
import { IMAGE as image, type NodeBench, openNodeBench } from './testing/node-bench.ts';
import { findProcesses } from './testing/processes.ts';

const skip = noHostNetwork;
const node = 'mini-01';
const STAYS = "trap 'exit 0' TERM; echo up; while :; do sleep 0.1; done";

let bench: NodeBench;
let mac: AgentMac;
let kubectl: KubectlDriver;
const folder = mkdtempSync(join(tmpdir(), 'minifleet-e2e-'));

before(async () => {
  if (skip !== false) return;
  bench = await openNodeBench(2);
  bench.registry.seedImage('acme/crashes:1');
  const crashes = { bootSeconds: 0.1, crashesAfterSeconds: 1 };
  const guests = { default: { bootSeconds: 0.1 }, byImage: { 'ghcr.io/acme/crashes': crashes } };
  mac = await bench.join(node, { tart: { guests, disk: DISK } });
  kubectl = createKubectlDriver(bench);
});
after(async () => {
  await bench?.stop();
  rmSync(folder, { recursive: true, force: true });
  if (mac) assert.deepEqual(findProcesses(mac.folder), [], 'processes of the Mac that still run');
});

test('I38 a guest that ends while its agent is killed is reported once with its exit code, and not run again', {
  skip,
}, async () => {
  const gate = join(folder, 'gate');
  const script = `echo began; until [ -e ${gate} ]; do sleep 0.05; done; echo ended; exit 5`;
  await kubectl.createPod('single', { node, image, script });
  const before = await kubectl.awaitPhase('single', 'Running');
  const pid = await mac.pid();
  await mac.asRoot(`launchctl kill SIGKILL system/dev.tuist.tart-kubelet`);
  writeFileSync(gate, '');
  const ended = await kubectl.awaitPhase('single', 'Failed');
  assert.notEqual(await mac.pid(), pid);
  const [status] = ended.status?.containerStatuses ?? [];
  assert.equal(status?.state?.terminated?.exitCode, 5);
  assert.equal(status?.restartCount, 0);
  assert.equal(status?.state?.terminated?.startedAt, before.status?.containerStatuses?.[0]?.state?.running?.startedAt);
  assert.equal(await kubectl.ok('logs', 'single'), 'began\nended\n');
  await kubectl.ok('delete', 'pod', 'single');
});

test('I38 a crashed guest fails its Pod although tart run exits with 0', { skip }, async () => {
  await kubectl.createPod('crashes', { node, image: 'ghcr.io/acme/crashes:1' });
  const { status } = await kubectl.awaitPhase('crashes', 'Failed');
  assert.equal(status?.containerStatuses?.[0]?.state?.terminated?.reason, 'VMCrashed');
  assert.notEqual(status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 0);
  await kubectl.ok('delete', 'pod', 'crashes');
});

test('I37 the agent registers a deleted Node again, and its guests keep running', { skip }, async () => {
  await kubectl.createPod('stays', { node, image, script: STAYS });
  const before = await kubectl.awaitPhase('stays', 'Running');
  const uidOf = (): Promise<string> => kubectl.ok('get', 'node', node, '-o', 'jsonpath={.metadata.uid}');
  const uid = await uidOf();
  await kubectl.ok('delete', 'node', node);
  await eventually(async () => (await uidOf()) !== uid, { what: 'another Node of the same name' });
  await kubectl.ok('wait', '--for=condition=Ready', `node/${node}`, '--timeout=180s');
  const after = await kubectl.pod('stays');
  assert.equal(after.metadata.uid, before.metadata.uid);
  assert.deepEqual(after.status?.containerStatuses?.[0]?.state, before.status?.containerStatuses?.[0]?.state);
  assert.equal(await kubectl.ok('exec', 'stays', '--', 'echo', 'here'), 'here\n');
  await kubectl.ok('delete', 'pod', 'stays');
});

/** Room for what the tests pull, and not for what is huge. */
const DISK = { freeBytes: 500e9 };

/** Holds the push of a baked VM until the agent has restarted and then failed to pull for lack of disk space. */
async function pushOn(host: AgentMac): Promise<void> {
  const { name } = host;
  await host.tart('create', 'tuist-runner', '--from-ipsw', 'latest');
  tartOf(host.mac).change({ push: { holds: 'disk' } });
  const target = `ghcr.io/baked/${name}:1`;
  const pushing = host.tart('push', 'tuist-runner', target);
  await eventually(() => findProcesses(target).length > 0, { what: 'a running push' });
  const pid = await host.pid();
  await host.asRoot('launchctl kill SIGTERM system/dev.tuist.tart-kubelet');
  await eventually(async () => ![pid, Number.NaN].includes(await host.pid()));
  bench.registry.seedImage(`huge/${name}:1`, { compressedBytes: 900e9, diskBytes: 900e9 });
  await kubectl.createPod(`huge-${name}`, { node: name, image: `ghcr.io/huge/${name}:1` });
  await eventually(async () => {
    const state = (await kubectl.pod(`huge-${name}`)).status?.containerStatuses?.[0]?.state?.waiting;
    return /ErrImagePull|ImagePullBackOff/.test(state?.reason ?? '');
  });
  tartOf(host.mac).change({ push: {} });
  await pushing;
  await kubectl.ok('delete', 'pod', `huge-${name}`);
  assert.equal(await host.tart('list', '--source', 'local', '-q'), 'tuist-runner\n');
  assert.ok(bench.registry.content.manifests.has(`baked/${name}`), 'the pushed image is complete');
}

/** Number of garbage collections since the start of the agent because a pull had no disk space. */
async function collections(name: string): Promise<number> {
  const metrics = await kubectl.ok('get', '--raw', `/api/v1/nodes/${name}/proxy/metrics`);
  const counts = metrics.matchAll(/^\w+_gc_passes_total\{reason="no space"\} (\d+)$/gm);
  assert.ok(metrics.includes('tart_kubelet_gc_passes_total{'));
  return [...counts].reduce((total, [, count]) => total + Number(count), 0);
}

test('I28 a VM that is being pushed survives garbage collection', { skip }, async () => {
  await pushOn(mac);
  assert.ok((await collections(node)) > 0);
});

test('I28 a VM that is being pushed survives on a builder, which deletes no VM', { skip }, async () => {
  const flags = ['--disable-vm-gc', '--node-labels=tuist.dev/fleet=builders'];
  const builder = await bench.join('builder-01', { flags, tart: { disk: DISK } });
  await pushOn(builder);
  assert.equal(await collections('builder-01'), 0);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { createKubectlDriver, type KubectlDriver, podSpec } from './testing/kubectl-driver.ts';
import { IMAGE, type JoinedMac, type NodeBench, openNodeBench } from './testing/node-bench.ts';
import { findProcesses } from './testing/processes.ts';

const skip = noHostNetwork;
const node = 'mini-01';
const image = IMAGE;
/** Prints `bye` and ends at SIGTERM. */
const STAYS = "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.1; done";

let bench: NodeBench;
let mac: JoinedMac;
let kubectl: KubectlDriver;
const folder = mkdtempSync(join(tmpdir(), 'minifleet-e2e-'));

before(async () => {
  if (skip !== false) return;
  bench = await openNodeBench(1);
  mac = await bench.join(node);
  kubectl = createKubectlDriver(bench);
});
after(async () => {
  await bench?.stop();
  rmSync(folder, { recursive: true, force: true });
  if (mac) assert.deepEqual(findProcesses(mac.folder), [], 'processes of the Mac that still run');
});

/** Reads the agent's mean start times by stage, in ms. */
async function startTimes(): Promise<Record<string, number>> {
  const text = await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/metrics`);
  const read = (what: 'sum' | 'count'): Map<string, number> =>
    new Map(
      [...text.matchAll(new RegExp(`^tart_kubelet_pod_start_seconds_${what}\\{stage="(\\w+)"\\} (.+)$`, 'gm'))].map(
        ([, stage = '', value]) => [stage, Number(value)],
      ),
    );
  const counts = read('count');
  return Object.fromEntries(
    [...read('sum')].map(([stage, sum]) => [stage, Math.round((1_000 * sum) / (counts.get(stage) || 1))]),
  );
}

/** Waits until the Mac has no VM of a Pod. */
const noGuests = (): Promise<true> =>
  eventually(async () => !(await mac.tart('list', '--source', 'local', '-q')).includes('pod-'), {
    what: 'no VM of a Pod',
  });

test('a Mac is a Ready Node with its OS, its taint and its VM slots', { skip }, async t => {
  t.diagnostic(`start of the agent → Node Ready: ${mac.readyAfter.toFixed(0)} ms`);
  const line = await kubectl.ok('get', 'nodes', '--no-headers', '-o', 'wide');
  assert.match(line, /^mini-01 +Ready .*macOS 26\.3 \(25D125\).*tart:\/\/2\.32\.1/);
  const object = JSON.parse(await kubectl.ok('get', 'node', node, '-o', 'json'));
  assert.deepEqual(object.spec.taints, [{ key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' }]);
  assert.equal(object.status.allocatable['minifleet.dev/macos-vm'], '2');
});

test('kubectl run ends as Succeeded, or as Failed with the exit code', {
  skip,
}, async () => {
  const overrides = JSON.stringify({ spec: { tolerations: [{ operator: 'Exists' }] } });
  const options = ['--restart=Never', `--image=${image}`, `--overrides=${overrides}`];
  await kubectl.ok('run', 'well', ...options, '--command', '--', 'sh', '-c', 'echo done');
  await kubectl.ok('run', 'badly', ...options, '--command', '--', 'sh', '-c', 'echo oh no >&2; exit 3');
  const well = await kubectl.awaitPhase('well', 'Succeeded');
  assert.equal(well.status?.containerStatuses?.[0]?.state?.terminated?.reason, 'Completed');
  const badly = await kubectl.awaitPhase('badly', 'Failed');
  assert.equal(badly.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3);
  assert.equal(await kubectl.ok('logs', 'well'), 'done\n');
  assert.equal(await kubectl.ok('logs', 'badly'), 'oh no\n');
});

test('I09 a finished Pod that is deleted is gone within one sync', { skip }, async t => {
  const began = performance.now();
  await kubectl.ok('delete', 'pod', 'well', 'badly');
  const took = performance.now() - began;
  t.diagnostic(`two finished Pods deleted and gone after ${took.toFixed(0)} ms`);
  assert.ok(took < 5_000);
  await noGuests();
});

test('kubectl describe shows the start events of a Pod, and logs -f follows it to its end', { skip }, async () => {
  await kubectl.createPod('talks', { node, image, script: 'for i in 1 2 3 4 5; do echo line $i; sleep 0.3; done' });
  await kubectl.awaitPhase('talks', 'Running');
  const followed = await kubectl.ok('logs', '-f', 'talks');
  assert.equal(followed, 'line 1\nline 2\nline 3\nline 4\nline 5\n');
  assert.equal(await kubectl.ok('logs', '--tail=2', 'talks'), 'line 4\nline 5\n');
  const text = await eventually(async () => {
    const described = await kubectl.ok('describe', 'pod', 'talks');
    return described.includes('Started container') && described;
  });
  assert.match(text, /Scheduled +.*default-scheduler +Successfully assigned default\/talks to mini-01/);
  assert.match(text, /Pulled +.*kubelet +Container image "ghcr\.io\/acme\/runner:1" already present on machine/);
  assert.match(text, /Created +.*kubelet +Created container: main/);
  await kubectl.ok('delete', 'pod', 'talks');
});

test('kubectl exec returns the exit code and passes input, also with a terminal', { skip }, async () => {
  await kubectl.createPod('works', { node, image, script: STAYS });
  await kubectl.awaitPhase('works', 'Running');
  const seven = await bench.kubectl.run(['exec', 'works', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7']);
  assert.deepEqual([seven.code, seven.stdout], [7, 'out\n']);
  assert.match(seven.stderr, /^err\n/);
  const echoed = await bench.kubectl.run(['exec', '-i', 'works', '--', 'cat'], { input: 'through the guest\n' });
  assert.deepEqual([echoed.code, echoed.stdout], [0, 'through the guest\n']);
  // kubectl sends the terminal size a moment after the start.
  const script = 'until [ "$(stty size)" = "40 100" ]; do sleep 0.05; done; [ -t 1 ] && echo at a terminal; exit 5';
  const typed = await bench.kubectl.atTerminal(['exec', '-it', 'works', '--', 'sh', '-c', script]);
  assert.equal(typed.code, 5, typed.stdout);
  assert.match(typed.stdout, /at a terminal\r\n/);
});

test('kubectl cp copies files in both directions', { skip }, async () => {
  const content = `${'some text\n'.repeat(50_000)}the end\n`;
  writeFileSync(join(folder, 'there'), content);
  await kubectl.ok('cp', join(folder, 'there'), 'works:carried');
  assert.equal(await kubectl.ok('exec', 'works', '--', 'tail', '-n', '1', 'carried'), 'the end\n');
  await kubectl.ok('cp', 'works:carried', join(folder, 'back'));
  assert.equal(readFileSync(join(folder, 'back'), 'utf8'), content);
});

test('kubectl port-forward reaches a server in the guest', { skip }, async t => {
  const server = createServer((request, response) => response.end(`requested ${request.url}`)).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  // The loopback of a simulated guest is that of this machine.
  const { port } = server.address() as AddressInfo;
  const forward = bench.kubectl.start(['port-forward', 'pod/works', `:${port}`]);
  t.after(() => forward.stop());
  const local = await eventually(() => /127\.0\.0\.1:(\d+) ->/.exec(forward.output())?.[1]);
  for (const path of ['/one', '/two']) {
    const response = await fetch(`http://127.0.0.1:${local}${path}`, { headers: { connection: 'close' } });
    assert.equal(await response.text(), `requested ${path}`);
  }
});

test('the agent serves the resource metrics of the Node and of each guest', { skip }, async t => {
  t.diagnostic(`Pod bound → Running, the mean in ms: ${JSON.stringify(await startTimes())}`);
  const figures = await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/metrics/resource`);
  assert.match(figures, /^node_cpu_usage_seconds_total \d/m);
  assert.match(figures, /^pod_cpu_usage_seconds_total\{namespace="default",pod="works"\} \d/m);
  assert.match(figures, /^pod_memory_working_set_bytes\{namespace="default",pod="works"\} \d{6}/m);
  const summary = JSON.parse(await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/stats/summary`));
  assert.equal(summary.pods[0].podRef.name, 'works');
});

test('a deleted Pod gets SIGTERM, and its last output is in the log', {
  skip,
}, async () => {
  const follow = bench.kubectl.start(['logs', '-f', 'works']);
  await eventually(() => follow.output().includes('up'));
  await kubectl.ok('delete', 'pod', 'works');
  await follow.exited;
  assert.match(follow.output(), /bye/);
  await noGuests();
});

test('a force-deleted Pod is gone at once, and its VM afterwards', { skip }, async () => {
  await kubectl.createPod('forced', { node, image, script: STAYS });
  await kubectl.awaitPhase('forced', 'Running');
  await kubectl.ok('delete', 'pod', 'forced', '--force', '--grace-period=0');
  assert.ok(await kubectl.isGone('forced'));
  await noGuests();
});

test('a third VM waits for a VM slot, reports it, and runs when a slot is free', { skip }, async () => {
  for (const name of ['first', 'second']) await kubectl.createPod(name, { node, image, script: STAYS });
  await Promise.all(['first', 'second'].map(name => kubectl.awaitPhase(name, 'Running')));
  await kubectl.createPod('third', { node, image, script: STAYS });
  const waiting = await eventually(async () => {
    const state = (await kubectl.pod('third')).status?.containerStatuses?.[0]?.state?.waiting;
    return state?.reason === 'WaitingForVMSlot' && state;
  });
  assert.match(waiting.message ?? '', /2 of 2 VM slots/);
  await kubectl.ok('delete', 'pod', 'first');
  await kubectl.awaitPhase('third', 'Running');
});

test('kubectl drain evicts all Pods of a Mac, and uncordon makes it schedulable', { skip }, async () => {
  await kubectl.ok('drain', node, '--force', '--ignore-daemonsets', '--timeout=180s');
  for (const name of ['second', 'third']) assert.ok(await kubectl.isGone(name));
  await noGuests();
  await kubectl.ok('uncordon', node);
});

test('a Deployment rollout replaces the old VM with the new one', { skip }, async () => {
  const labels = { app: 'rolls' };
  const spec = podSpec({ node, image, script: `echo $VERSION; ${STAYS}`, restartPolicy: 'Always' });
  const [container] = spec.containers;
  const template = (version: string) => ({
    metadata: { labels },
    spec: { ...spec, containers: [{ ...container, env: [{ name: 'VERSION', value: version }] }] },
  });
  const deployment = (version: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'rolls' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: template(version) },
  });
  for (const version of ['one', 'two']) {
    await kubectl.apply(deployment(version));
    await kubectl.ok('rollout', 'status', 'deployment/rolls', '--timeout=180s');
  }
  await eventually(
    async () => (await kubectl.ok('get', 'pods', '-l', 'app=rolls', '-o', 'name')).split('\n').length === 2,
  );
  assert.match(await kubectl.ok('logs', 'deployment/rolls'), /^two\n/);
  await kubectl.ok('delete', 'deployment', 'rolls', '--cascade=foreground');
  await noGuests();
});

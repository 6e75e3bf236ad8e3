/** The screen of a VM through kubectl, the API server, the built agent on a simulated Mac, and a viewer. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { viewScreen } from '@minifleet/world/testing/tart';
import { createKubectlDriver, type KubectlDriver, podSpec } from './testing/kubectl-driver.ts';
import { IMAGE, type JoinedMac, type NodeBench, openNodeBench } from './testing/node-bench.ts';
import { findProcesses } from './testing/processes.ts';

const skip = noHostNetwork;
const node = 'mini-01';

let bench: NodeBench;
let mac: JoinedMac;
let kubectl: KubectlDriver;

before(async () => {
  if (skip !== false) return;
  bench = await openNodeBench(1);
  mac = await bench.join(node);
  kubectl = createKubectlDriver(bench);
});
after(async () => {
  await bench?.stop();
  if (mac) assert.deepEqual(findProcesses(mac.folder), [], 'processes of the Mac that still run');
});

const createPod = (name: string, screen?: string): Promise<void> =>
  kubectl.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations: screen === undefined ? {} : { 'minifleet.dev/screen': screen } },
    spec: podSpec({ node, image: IMAGE }),
  });

/** Runs `kubectl port-forward pod/<name> :5900` and returns the local port. */
async function forwardScreen(context: { after(clean: () => void): void }, name: string) {
  const forwarding = bench.kubectl.start(['port-forward', `pod/${name}`, ':5900']);
  context.after(() => void forwarding.stop());
  const port = await eventually(() => Number(/127\.0\.0\.1:(\d+) ->/.exec(forwarding.output())?.[1]));
  return { port, forwarding };
}

const nameOfVm = async (name: string): Promise<string> => `pod-${(await kubectl.pod(name)).metadata.uid}-0`;

test('kubectl port-forward shows the screen of a Pod without a password', { skip }, async t => {
  await createPod('shown', 'true');
  await kubectl.awaitPhase('shown', 'Running');
  const { port } = await forwardScreen(t, 'shown');
  const name = await nameOfVm('shown');
  assert.deepEqual(await viewScreen({ port }), { security: [1], name, width: 1_024, height: 768 });
  // The protocol version of Screen Sharing on a Mac.
  assert.equal((await viewScreen({ port, version: '3.3', password: 'any' })).name, name);
});

test('the screen password is in no log of the Pod or the agent', { skip }, async () => {
  const name = await nameOfVm('shown');
  const file = join(mac.folder, 'var/lib/tart-kubelet/guests', name.replace('pod-', ''), 'screen.json');
  const { password } = (JSON.parse(readFileSync(file, 'utf8')) as { screen: { password: string } }).screen;
  const log = await kubectl.ok('logs', 'shown');
  assert.match(log, /VNC server is running at vnc:\/\/:REDACTED@127\.0\.0\.1:\d+\n/);
  assert.match(password, /^\w+-\w+-\w+-\w+$/);
  assert.ok(!`${log}${mac.logs()}`.includes(password));
});

test('the screen of a Pod is forwarded again after its agent was killed and restarted', { skip }, async t => {
  const pid = await mac.pid();
  await mac.asRoot(`kill -9 ${pid}`);
  await eventually(async () => ![pid, Number.NaN].includes(await mac.pid()));
  await eventually(async () => (await bench.kubectl.run(['exec', 'shown', '--', 'true'])).code === 0);
  const { port } = await forwardScreen(t, 'shown');
  assert.equal((await viewScreen({ port })).name, await nameOfVm('shown'));
  await kubectl.ok('delete', 'pod', 'shown');
});

test('port-forward to a Pod without a screen names the required annotation', { skip }, async t => {
  await createPod('plain');
  await kubectl.awaitPhase('plain', 'Running');
  const { port, forwarding } = await forwardScreen(t, 'plain');
  await assert.rejects(viewScreen({ port }));
  await eventually(() =>
    forwarding.output().includes('recreate the Pod with the annotation minifleet.dev/screen=true'),
  );
  await kubectl.ok('delete', 'pod', 'plain');
});

test('a Pod with an invalid screen annotation fails and names the valid values', { skip }, async () => {
  await createPod('unclear', 'yes');
  const { status } = await kubectl.awaitPhase('unclear', 'Failed');
  assert.equal(status?.reason, 'ScreenNotSupported');
  assert.match(status?.message ?? '', /minifleet\.dev\/screen.*"true" or "false", not "yes"/);
});

import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { names } from '@minifleet/api';
import { eventually } from '@minifleet/clock/testing';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { root } from '@minifleet/world/mac';
import { type AgentProcess, agentProcess } from './testing/agent-process.ts';
import { type FleetBench, IMAGE, openFleetBench } from './testing/fleet-bench.ts';
import { createFleetDriver, type FleetDriver } from './testing/fleet-driver.ts';
import { CLUSTER } from './testing/fleet-objects.ts';

const skip = noHostNetwork;

let bench: FleetBench;
let fleet: FleetDriver;

before(async () => {
  if (skip !== false) return;
  bench = await openFleetBench({ macs: 2 });
  fleet = createFleetDriver(bench);
  // Shorter than by default, so that the test is short.
  bench.startProvider(['--rejoin-after=10s', '--discovery-interval=5s']);
  await bench.createFleet({ name: 'runners', replicas: 2 });
});
after(() => bench?.stop());

const BROKEN: readonly (readonly [string, (agent: AgentProcess) => Promise<string>])[] = [
  [
    'an agent that lost its certificate and its kubeconfig joins again, and its VMs keep running',
    async ({ stateDirectory }) => {
      await rm(join(stateDirectory, 'pki'), { recursive: true });
      return 'not a kubeconfig';
    },
  ],
  [
    'an agent with the kubeconfig of another cluster and a corrupt certificate joins again, and its VMs keep running',
    async ({ stateDirectory }) => {
      await writeFile(join(stateDirectory, 'pki/client.pem'), 'not a certificate');
      return OTHER_CLUSTER;
    },
  ],
];

/** Valid, and nothing answers at its address. */
const OTHER_CLUSTER = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'other', cluster: { server: 'https://127.0.0.1:1', 'insecure-skip-tls-verify': true } }],
  users: [{ name: 'other', user: { token: 'abcdef.0123456789abcdef' } }],
  contexts: [{ name: 'other', context: { cluster: 'other', user: 'other' } }],
  'current-context': 'other',
});

describe('Macs without valid credentials, at the same time', { concurrency: true, skip }, () => {
  for (const [index, [title, damage]] of BROKEN.entries())
    test(title, async () => {
      const machine = (await fleet.awaitReady('runners', 2))[index];
      assert.ok(machine);
      const { name } = machine.metadata;
      const pods = [`lost-${index}-1`, `lost-${index}-2`];
      // Kubernetes reads $$ as $.
      for (const pod of pods)
        await fleet.createPod(pod, { node: name, image: IMAGE, script: 'echo $$$$ >pid; while :; do sleep 0.2; done' });
      const before = await Promise.all(pods.map(pod => fleet.awaitPhase(pod, 'Running')));
      const processIn = (pod: string): Promise<string> =>
        fleet.ok('exec', pod, '--', 'sh', '-c', 'until [ -s pid ]; do sleep 0.1; done; kill -0 $(cat pid) && cat pid');
      const processes = await Promise.all(pods.map(processIn));
      const server = fleet.serverOf(machine);
      const agent = await agentProcess(bench.folders, server.id);
      const kubeconfig = await damage(agent);
      const { mac } = bench.world.hosts.all.get(server.id) ?? assert.fail();
      mac.files.write(root, '/etc/tart-kubelet/kubeconfig', kubeconfig);
      process.kill(agent.pid, 'SIGKILL');
      const ready = (status: string) =>
        fleet.ok('wait', `node/${name}`, `--for=condition=Ready=${status}`, '--timeout=180s');
      await ready('Unknown');
      await ready('True');
      for (const pod of before) {
        const after = await fleet.pod(pod.metadata.name);
        assert.equal(after.metadata.uid, pod.metadata.uid);
        assert.deepEqual(after.status?.containerStatuses, pod.status?.containerStatuses);
      }
      assert.deepEqual(await Promise.all(pods.map(processIn)), processes, 'the same processes in the VMs');
      const same = (await fleet.awaitReady('runners', 2)).find(({ metadata }) => metadata.name === name);
      assert.equal(same?.metadata.uid, machine.metadata.uid);
      assert.equal(fleet.serverOf(machine).installation, server.installation);
      const selector = `${names.labels.machineUID}=${machine.metadata.uid}`;
      const tokens = () => fleet.ok('get', 'secrets', '-n', 'kube-system', '-l', selector, '-o', 'name');
      await eventually(async () => (await tokens()) === '', { what: 'the deletion of the token' });
    });
});

test('a deleted Cluster leaves no Node, and the next Cluster gets Ready Nodes on the same Macs', { skip }, async () => {
  const names = (await fleet.nodes()).map(({ metadata }) => metadata.name);
  assert.notEqual(names.length, 0);
  await fleet.ok('delete', 'cluster', CLUSTER, '--timeout=300s');
  assert.deepEqual(await fleet.nodes(), []);
  for (const { metadata, spec } of await fleet.hosts()) assert.equal(spec.consumerRef, undefined, metadata.name);
  await bench.createFleet({ name: 'next', replicas: 2 });
  const machines = await fleet.awaitReady('next', 2);
  const nodes = await fleet.nodes();
  assert.deepEqual(
    nodes.map(({ spec }) => `${spec?.providerID}`).toSorted(),
    machines.map(({ spec }) => `${spec.providerID}`).toSorted(),
  );
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { names } from '@minifleet/api';
import { pause, seconds, systemClock } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { findCondition, type Node } from '@minifleet/kube';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { type FleetBench, openFleetBench } from './testing/fleet-bench.ts';
import { createFleetDriver, type FleetDriver } from './testing/fleet-driver.ts';
import {
  installOlderCrd,
  installOwnCrd,
  type OlderHost,
  olderAgents,
  olderVmName,
  serveAsOlderSystem,
} from './testing/older-system.ts';
import { findProcesses, identityOf, readProcFile } from './testing/processes.ts';

const skip = noHostNetwork;
const PODS = [['older-1', 'older-2'], ['older-3']] as const;

let bench: FleetBench;
let fleet: FleetDriver;
let hosts: readonly OlderHost[];
const agents = olderAgents();

/** A fleet of two Macs that the older system serves, with three running VMs, and no provider. */
before(async () => {
  if (skip !== false) return;
  bench = await openFleetBench({ macs: 2, prepareMac: agents.prepareMac });
  fleet = createFleetDriver(bench);
  const provider = bench.startProvider();
  await bench.createFleet({ name: 'runners', replicas: 0 });
  await fleet.ok('wait', 'cluster', '--all', '--for=condition=ControlPlaneInitialized', '--timeout=180s');
  await provider.stop();
  await installOlderCrd(bench);
  await fleet.ok('scale', 'machinedeployment', 'runners', '--replicas=2');
  const machines = await eventually(
    async () => {
      const found = await fleet.machines('runners');
      return found.length === 2 && found.every(({ metadata }) => metadata.ownerReferences?.length) && found;
    },
    { what: 'two machines without a provider', deadline: seconds(120) },
  );
  const servers = bench.world.scaleway.console.servers();
  hosts = await Promise.all(
    machines.map((machine, index) => {
      const [server, pods = []] = [servers[index], PODS[index]];
      assert.ok(server);
      return serveAsOlderSystem(bench, { machine, server, pods });
    }),
  );
  for (const pod of PODS.flat()) await eventually(() => vmOf(pod), { what: `the VM of ${pod}`, deadline: seconds(60) });
});
after(async () => {
  await bench?.stop();
  agents.removeFolders();
});

/** Process of the VM: `tart run <name>`. */
const vmOf = (pod: string): string | undefined =>
  findProcesses(olderVmName(pod))
    .filter(pid => /^(\S*\/)?tart run /.test(readProcFile(pid, 'cmdline').replaceAll('\0', ' ')))
    .map(identityOf)[0];

const nodeOf = ({ machine }: OlderHost): Promise<Node> => fleet.json<Node>('node', machine);
const readyOf = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

/** Collects the statuses of the condition Ready of all Nodes. */
function observeNodes(): { end(): Promise<ReadonlySet<string | undefined>> } {
  const seen = new Set<string | undefined>();
  const ended = new AbortController();
  const observe = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      for (const node of await fleet.nodes()) seen.add(readyOf(node));
      await pause(systemClock, seconds(1), ended.signal).catch(() => undefined);
    }
  };
  const observing = observe();
  return {
    async end() {
      ended.abort();
      await observing;
      return seen;
    },
  };
}

/** Requests to the vendor that change a server. */
const vendorWrites = (since: number): string[] =>
  bench.world.deps.journal.entries
    .slice(since)
    .filter(({ place, what, detail }) => place === 'scaleway' && what === 'request' && /servers/.test(detail))
    .map(({ detail }) => detail)
    .filter(detail => !detail.startsWith('GET '));
const boots = (since: number): string[] =>
  bench.world.deps.journal.entries
    .slice(since)
    .flatMap(({ what }) => (what === 'boot' || what === 'shut down' ? what : []));

test('A18 a fleet of the older system is taken over in place: same Macs, Nodes, Pods and VMs, with certificates of ours', {
  skip,
}, async () => {
  const before = {
    vms: PODS.flat().map(vmOf),
    nodes: await Promise.all(hosts.map(nodeOf)),
    pods: await Promise.all(PODS.flat().map(pod => fleet.pod(pod))),
    servers: bench.world.scaleway.console.servers(),
  };
  assert.ok(before.vms.every(vm => vm !== undefined));
  const since = bench.world.deps.journal.entries.length;
  await installOwnCrd(bench);
  const statuses = observeNodes();
  bench.startProvider(['--discovery-interval=5s']);
  const machines = await fleet.awaitReady('runners', 2, seconds(420));
  // The agent reports False for a moment at each of its starts. A Node without an agent becomes Unknown after 20 s here.
  assert.ok(!(await statuses.end()).has('Unknown'), 'no Node lost its agent');

  assert.deepEqual(PODS.flat().map(vmOf), before.vms, 'the processes of the VMs');
  assert.deepEqual(bench.world.scaleway.console.servers(), before.servers, 'servers, with names and installations');
  assert.deepEqual([vendorWrites(since), boots(since)], [[], []]);
  for (const [index, host] of hosts.entries()) {
    const [was, is] = [before.nodes[index], await nodeOf(host)];
    assert.equal(is.metadata.uid, was?.metadata.uid);
    assert.ok(is.metadata.labels?.[names.labels.agentVersion]);
    assert.equal(readyOf(is), 'True');
    const machine = machines.find(({ metadata }) => metadata.name === host.machine) ?? assert.fail();
    assert.equal(machine.spec.claimRef?.name, host.server.id);
    assert.equal(findCondition(machine, 'ServingCertificateReady')?.status, 'True');
    assert.equal(findCondition(machine, 'Bootstrapped'), undefined);
  }
  for (const [index, pod] of PODS.flat().entries()) {
    const [was, is] = [before.pods[index], await fleet.pod(pod)];
    assert.deepEqual([is.metadata.uid, is.status?.phase], [was?.metadata.uid, 'Running']);
    assert.equal(is.status?.containerStatuses?.[0]?.containerID, `tart://${olderVmName(pod)}`);
  }
});

test('after the takeover the ServiceAccounts of the older agents are not needed', { skip }, async () => {
  const accounts = hosts.map(({ machine }) => `tart-kubelet-${machine}`);
  await fleet.ok('delete', 'clusterrolebinding', ...accounts);
  await fleet.ok('delete', 'secret', ...accounts.map(name => `${name}-token`));
  await fleet.ok('delete', 'serviceaccount', ...accounts);
  for (const { machine } of hosts) {
    const renewed = async () =>
      fleet.ok('get', 'lease', machine, '-n', 'kube-node-lease', '-o', 'jsonpath={.spec.renewTime}');
    const last = await renewed();
    await eventually(async () => (await renewed()) !== last, {
      what: `a heartbeat of ${machine}`,
      deadline: seconds(60),
    });
  }
});

test('a deleted Pod of the older agent is gone with its VM, and the others keep running', { skip }, async () => {
  const [deleted, kept] = PODS[0];
  await fleet.ok('delete', 'pod', deleted, '--timeout=120s');
  assert.equal(vmOf(deleted), undefined);
  assert.notEqual(vmOf(kept), undefined);
  assert.equal(await fleet.phaseOf(kept), 'Running');
});

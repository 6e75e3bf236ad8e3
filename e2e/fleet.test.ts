import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import { findCondition } from '@minifleet/kube';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { ROOT } from './testing/built-agent.ts';
import { type FleetBench, IMAGE, openFleetBench } from './testing/fleet-bench.ts';
import {
  createFleetDriver,
  type FleetDriver,
  type MacHost,
  type ScalewayAppleSiliconMachine,
} from './testing/fleet-driver.ts';
import { CLUSTER, healthCheckOf, templateOf } from './testing/fleet-objects.ts';
import { podSpec } from './testing/kubectl-driver.ts';
import type { ProviderProcess } from './testing/provider-process.ts';

const skip = noHostNetwork;
const PAUSED = 'cluster.x-k8s.io/paused';

let bench: FleetBench;
let provider: ProviderProcess;
let fleet: FleetDriver;

before(async () => {
  if (skip !== false) return;
  bench = await openFleetBench({ macs: 7 });
  fleet = createFleetDriver(bench);
  provider = bench.startProvider();
});
after(async () => {
  await bench?.stop();
  if (bench) assert.deepEqual(bench.world.deps.journal.gaps, [], 'requests that the world does not model');
});

const scale = (replicas: number): Promise<string> =>
  fleet.ok('scale', 'machinedeployment', 'runners', `--replicas=${replicas}`);
const hostOf = ({ spec }: ScalewayAppleSiliconMachine): string => spec.claimRef?.name ?? '';
const now = (): number => bench.world.deps.journal.entries.length;

test('a provider that replaces a killed one keeps the host and reports the lease it waits for', {
  skip,
}, async () => {
  await bench.createFleet({ name: 'killed', replicas: 1 });
  const cut = await eventually(async () => {
    const [host] = await fleet.hosts('killed');
    return host?.status?.job && host.status.steps?.some(({ state }) => state === 'Done') && host;
  });
  await provider.stop('SIGKILL');
  provider = bench.startProvider();
  // The lease on the host blocks a second provider for two minutes. The last test checks the end.
  await eventuallyHolds(async () => {
    const [host] = await fleet.hosts('killed');
    assert.equal(host?.metadata.name, cut.metadata.name);
    assert.match(host.status?.contact?.message ?? '', /its lease expires 2m after/);
  });
});

test('kubectl scale turns Macs of the pool into Ready Nodes bound to their Machines, and the fleet is Available', {
  skip,
}, async t => {
  await bench.createFleet({ name: 'runners', replicas: 0 });
  const began = performance.now();
  await scale(3);
  await fleet.ok('wait', 'machinedeployment/runners', '--for=condition=Available', '--timeout=180s');
  const machines = await fleet.awaitReady('runners', 3);
  t.diagnostic(`three Macs are Ready Nodes after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  const nodes = await fleet.nodes();
  assert.deepEqual(
    nodes.map(({ metadata, spec }) => `${metadata.name} ${spec?.providerID}`).toSorted(),
    machines.map(({ metadata, spec }) => `${metadata.name} ${spec.providerID}`).toSorted(),
  );
  for (const machine of machines) {
    const { status } = await fleet.json<{ status: { nodeRef?: { name: string } } }>('machine', machine.metadata.name);
    assert.equal(status.nodeRef?.name, machine.metadata.name);
    assert.equal(fleet.serverOf(machine).name, machine.metadata.name);
  }
  assert.equal(fleet.pool().length, 3);
  for (const name of ['jobs', 'weak']) await bench.createFleet({ name, replicas: 1 });
});

test('I37 a Node deleted by hand is registered again without a command on its host', { skip }, async () => {
  const [machine] = await fleet.machines('runners');
  assert.ok(machine);
  const { name } = machine.metadata;
  const before = await fleet.json<ScalewayAppleSiliconMachine>('node', name);
  const since = now();
  await fleet.ok('delete', 'node', name);
  await eventuallyHolds(async () => {
    const node = await fleet.json<ScalewayAppleSiliconMachine>('node', name);
    assert.notEqual(node.metadata.uid, before.metadata.uid);
    assert.equal(node.spec.providerID, machine.spec.providerID);
  });
  const [same] = await fleet.awaitReady('runners', 3);
  assert.equal(same?.metadata.uid, machine.metadata.uid);
  assert.deepEqual(fleet.commandsOn(machine, since), []);
});

test('I15 a deleted kubeconfig Secret of Cluster API is created again and works', { skip }, async () => {
  const secret = `${CLUSTER}-kubeconfig`;
  const read = () => fleet.json<{ metadata: { uid: string }; data: { value: string } }>('secret', secret);
  const { metadata } = await read();
  await fleet.ok('delete', 'secret', secret);
  const created = await eventually(async () => {
    const found = await read();
    return found.metadata.uid !== metadata.uid && found;
  });
  const file = join(bench.cluster.directory, 'created.yaml');
  writeFileSync(file, Buffer.from(created.data.value, 'base64'));
  const { stdout, stderr } = await bench.kubectl.run([`--kubeconfig=${file}`, 'get', 'nodes', '-o', 'name']);
  assert.match(stdout, /^node\/runners-/m, stderr);
});

test('a scale-down returns a Mac to the pool, reinstalled and renamed, even with the paused annotation', {
  skip,
}, async () => {
  const [leaving] = await fleet.machines('runners');
  assert.ok(leaving);
  const { name } = leaving.metadata;
  const server = fleet.serverOf(leaving);
  await fleet.ok('annotate', 'samm', name, `${PAUSED}=`);
  await fleet.ok('annotate', 'machine', name, 'cluster.x-k8s.io/delete-machine=yes');
  await scale(2);
  await fleet.awaitDeleted(name);
  const given = bench.world.scaleway.console.server(server.id);
  assert.match(given.name, /^tuist-pool-0\d$/);
  await eventually(() => bench.world.scaleway.console.server(server.id).installation === server.installation + 1);
  for (const gone of [`node/${name}`, `secret/${server.id}-credentials`]) {
    assert.match((await bench.kubectl.run(['get', gone])).stderr, /NotFound/, gone);
  }
  const released = await fleet.json<MacHost>('machost', server.id);
  assert.equal(released.spec.consumerRef, undefined, 'the MacHost stays and is free');
  await eventually(() => fleet.pool().includes(given.name), { what: 'the free host' });
});

test('a machine created with the paused annotation claims no host and can be deleted', { skip }, async () => {
  const template = templateOf('runners', 'paused') as { spec: { template: object } };
  const annotated = { ...template.spec.template, metadata: { annotations: { [PAUSED]: '' } } };
  await fleet.apply({ ...template, spec: { template: annotated } });
  const deployment = await fleet.json<{ spec: { template: { spec: { infrastructureRef: object } } } }>(
    'machinedeployment',
    'runners',
  );
  const { spec } = deployment.spec.template;
  const infrastructureRef = { ...spec.infrastructureRef, name: 'paused' };
  await fleet.apply({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { namespace: 'default', name: 'paused' },
    spec: { clusterName: CLUSTER, replicas: 1, template: { spec: { ...spec, infrastructureRef } } },
  });
  const paused = await eventually(async () => {
    const [machine] = await fleet.machines('paused');
    return machine && findCondition(machine, 'Paused')?.status === 'True' && machine;
  });
  assert.equal(hostOf(paused), '');
  assert.equal(findCondition(paused, 'HostClaimed'), undefined);
  await fleet.ok('delete', 'machinedeployment', 'paused', '--timeout=180s');
  assert.deepEqual(await fleet.machines('paused'), []);
});

test('a deletion in a paused Cluster is observed, and continues after the pause', {
  skip,
}, async () => {
  const pause = (paused: boolean) =>
    fleet.ok('patch', 'cluster', CLUSTER, '--type=merge', '-p', JSON.stringify({ spec: { paused } }));
  const [machine] = await fleet.machines('runners');
  assert.ok(machine);
  const { name } = machine.metadata;
  const server = fleet.serverOf(machine);
  const since = now();
  await pause(true);
  await eventually(
    async () => findCondition(await fleet.json<ScalewayAppleSiliconMachine>('samm', name), 'Paused')?.status === 'True',
  );
  await fleet.ok('delete', 'samm', name, '--wait=false');
  await eventuallyHolds(async () => {
    const { metadata, status } = await fleet.json<ScalewayAppleSiliconMachine>('samm', name);
    assert.ok(metadata.deletionTimestamp);
    assert.equal(status?.observedGeneration, metadata.generation, 'a reconcile has observed the deletion');
  });
  assert.deepEqual(bench.world.scaleway.console.server(server.id), server);
  assert.deepEqual(fleet.commandsOn(machine, since), []);
  await fleet.ok('delete', 'machine', name, '--wait=false');
  await pause(false);
  await fleet.awaitDeleted(name);
  assert.match(bench.world.scaleway.console.server(server.id).name, /^tuist-pool-/);
});

test('a new template replaces the hosts one at a time, and the fleet always has a Node', { skip }, async () => {
  await fleet.awaitReady('runners', 2);
  await fleet.apply(templateOf('runners', 'runners-2'));
  const before = await fleet.machines('runners');
  const patch = { spec: { template: { spec: { infrastructureRef: { name: 'runners-2' } } } } };
  await fleet.ok('patch', 'machinedeployment', 'runners', '--type=merge', '-p', JSON.stringify(patch));
  let fewest = 2;
  const replaced = await eventually(
    async () => {
      const { status } = await fleet.deployment('runners');
      fewest = Math.min(fewest, status?.availableReplicas ?? 0);
      const machines = await fleet.machines('runners');
      return machines.every(({ metadata }) => before.every(old => old.metadata.uid !== metadata.uid)) && machines;
    },
    { what: 'only new machines', deadline: seconds(180), interval: seconds(0.1) },
  );
  await fleet.awaitReady('runners', 2);
  assert.equal(fewest, 1);
  for (const { metadata } of replaced) {
    assert.equal(metadata.annotations?.['cluster.x-k8s.io/cloned-from-name'], 'runners-2');
  }
});

describe('concurrent with waits of Cluster API', { concurrency: true, skip }, () => {
  test('a new agent configuration is rolled out host by host, canary first, and guests keep running', async () => {
    const machines = await fleet.machines('runners');
    const names = machines.map(({ metadata }) => metadata.name);
    const script = 'while :; do sleep 0.2; done';
    for (const node of names) await fleet.createPod(`on-${node}`, { node, image: IMAGE, script });
    const guests = await Promise.all(names.map(node => fleet.awaitPhase(`on-${node}`, 'Running')));
    const before = await fleet.nodes();
    await bench.fleetFile.write({ hostCpu: 6 });
    await provider.stop();
    provider = bench.startProvider();
    const messages = new Set<string>();
    await eventually(
      async () => {
        const current = await fleet.hosts('runners');
        assert.ok(current.filter(one => one.status?.job).length <= 1, 'one at a time');
        for (const one of current)
          messages.add(`${one.metadata.name} ${findCondition(one, 'HostBootstrapped')?.message}`);
        return (
          current.every(({ status }) => status?.plan?.applied === status?.plan?.desired && !status?.job) &&
          messages.size > 2
        );
      },
      { what: 'the end of the rollout', deadline: seconds(180), interval: seconds(0.1) },
    );
    const waits = [...messages].flatMap(
      message => / pending: (?:waiting for )?(\S+) (?:is updated first|to become Ready)$/.exec(message)?.[1] ?? [],
    );
    assert.equal(new Set(waits).size, 1, 'one host is the canary, and the other waits for it');
    const nodes = (await fleet.nodes()).filter(({ metadata }) => names.includes(metadata.name));
    for (const { metadata, status } of nodes) {
      const same = before.find(one => one.metadata.name === metadata.name);
      assert.deepEqual([metadata.uid, status?.capacity?.['cpu']], [same?.metadata.uid, '6']);
    }
    for (const guest of guests) {
      const after = await fleet.pod(guest.metadata.name);
      assert.equal(after.metadata.uid, guest.metadata.uid);
      assert.deepEqual(after.status?.containerStatuses, guest.status?.containerStatuses);
      await fleet.ok('exec', guest.metadata.name, '--', 'true');
    }
  });

  test('the deletion of a Machine waits for the job on its Mac and evicts idle Pods', async () => {
    const [machine] = await fleet.awaitReady('jobs', 1);
    assert.ok(machine);
    const { name } = machine.metadata;
    await fleet.ok('apply', '-f', join(ROOT, 'config/drain-rules.yaml'));
    const spec = (script: string) => podSpec({ node: name, image: IMAGE, script });
    const job = spec('echo began; until [ -e done ]; do sleep 0.1; done; echo whole');
    const pod = { apiVersion: 'v1', kind: 'Pod' };
    await fleet.apply({ ...pod, metadata: { name: 'job', labels: { 'tuist.dev/runner': 'a' } }, spec: job });
    await fleet.apply({ ...pod, metadata: { name: 'idle' }, spec: spec('while :; do sleep 0.2; done') });
    await Promise.all(['job', 'idle'].map(each => fleet.awaitPhase(each, 'Running')));
    await fleet.ok('delete', 'machine', name, '--wait=false');
    await eventually(() => fleet.isGone('idle'), { what: 'the eviction of the idle Pod' });
    const deleting = findCondition(await fleet.json<ScalewayAppleSiliconMachine>('machine', name), 'Deleting');
    assert.match(deleting?.message ?? '', /Pod default\/job: waiting for completion/);
    assert.equal(await fleet.phaseOf('job'), 'Running');
    assert.equal(fleet.serverOf(machine).name, name, 'the machine still has the host');
    // Once the job has ended, Cluster API may release the Mac at any time, so kubectl follows its log before that.
    const log = bench.kubectl.start(['logs', '--follow', 'job']);
    await eventually(() => log.output().includes('began'), { what: 'kubectl to follow the log' });
    // The file ends the job and its VM, possibly before kubectl receives the exit code of its own command.
    await eventually(async () => {
      const touched = await bench.kubectl.run(['exec', 'job', '--', 'touch', 'done']);
      return touched.code === 0 || (await fleet.phaseOf('job')) === 'Succeeded';
    });
    await fleet.awaitPhase('job', 'Succeeded');
    await log.exited;
    // The rollout of the test beside this one restarts the agent at any time, which ends the stream.
    const output = log.output().endsWith('whole\n') ? log.output() : await fleet.ok('logs', 'job');
    assert.equal(output, 'began\nwhole\n');
    // As the runners program deletes finished Pods. Cluster API polls every 20 s.
    await fleet.ok('delete', 'pod', 'job', '--ignore-not-found', '--wait=false');
    await fleet.awaitDeleted(name);
    assert.match(fleet.serverOf(machine).name, /^tuist-pool-/);
  });

  test('a Mac that loses power is replaced, its Node is deleted, and it is reinstalled and returned to the pool', async () => {
    const [machine] = await fleet.awaitReady('weak', 1);
    assert.ok(machine);
    const { name } = machine.metadata;
    const server = fleet.serverOf(machine);
    await fleet.apply(healthCheckOf('weak'));
    bench.world.hosts.all.get(server.id)?.mac.shutDown();
    await fleet.awaitDeleted(name);
    const [other] = await fleet.awaitReady('weak', 1);
    assert.notEqual(other && hostOf(other), server.id);
    assert.match((await bench.kubectl.run(['get', 'node', name])).stderr, /NotFound/);
    const { installation } = bench.world.scaleway.console.server(server.id);
    assert.equal(installation, server.installation + 1);
    const events = await fleet.ok('get', 'events', '--field-selector', `involvedObject.name=${name},reason=Released`);
    assert.match(events, new RegExp(`the host ${server.id} is returned to its pool`));
    assert.match(fleet.serverOf(machine).name, /^tuist-pool-0\d$/);
  });
});

test('an interrupted bootstrap continues after the lease of the killed provider has expired', {
  skip,
}, async () => {
  const [machine] = await fleet.awaitReady('killed', 1);
  assert.ok(machine);
  const items = (await fleet.hosts()).filter(({ spec }) => spec.consumerRef);
  const held = await Promise.all(['runners', 'killed', 'jobs', 'weak'].map(name => fleet.machines(name)));
  assert.deepEqual(items.map(({ metadata }) => metadata.name).toSorted(), held.flat().map(hostOf).toSorted());
});

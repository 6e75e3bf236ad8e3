import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventuallyHolds } from '@minifleet/clock/testing';
import { findCondition } from '@minifleet/kube';
import { findFreePorts } from '@minifleet/local-cluster';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { type FleetBench, IMAGE, openFleetBench } from './testing/fleet-bench.ts';
import type { FleetCluster } from './testing/fleet-cluster.ts';
import {
  createFleetDriver,
  type FleetDriver,
  type MacHost,
  type ScalewayAppleSiliconMachine,
} from './testing/fleet-driver.ts';
import { CLUSTER } from './testing/fleet-objects.ts';
import { assertScreen, normalizeScreen } from './testing/normalize-screen.ts';

const skip = noHostNetwork;

let source: FleetBench;
let target: FleetCluster;
let from: FleetDriver;
let to: FleetDriver;
let metrics: string;
let machines: readonly ScalewayAppleSiliconMachine[];

/** Returns hosts whose machine is gone, if the conditions for that hold. */
const RECLAIMS = ['--discovery-interval=1s', '--reclaim-orphans'];

before(async () => {
  if (skip !== false) return;
  source = await openFleetBench({ macs: 3 });
  const [port] = await findFreePorts(1);
  metrics = `http://127.0.0.1:${port}/metrics`;
  source.startProvider([...RECLAIMS, `--bind-address=127.0.0.1:${port}`]);
  await source.createFleet({ name: 'runners', replicas: 2 });
  target = await source.another();
  target.startProvider(RECLAIMS);
  from = createFleetDriver(source);
  to = createFleetDriver({ ...target, world: source.world });
  machines = await from.awaitReady('runners', 2);
});
after(() => source?.stop());

const servers = () => source.world.scaleway.console.servers();
/** Requests to the vendor other than GET. */
const vendorWrites = (since: number): string[] =>
  source.world.deps.journal.entries
    .slice(since)
    .filter(({ place, what, detail }) => place === 'scaleway' && what === 'request' && !/^GET /.test(detail))
    .map(({ detail }) => detail);
const restarts = (since: number): string[] =>
  source.world.deps.journal.entries
    .slice(since)
    .filter(({ what }) => ['boot', 'shut down', 'process exit'].includes(what))
    .map(({ place, what, detail }) => `${place} ${what} ${detail}`)
    .filter(text => / boot | shut down |tart/.test(text));

test('kubectl get samm and clusterctl describe print the screens of docs/screens', { skip }, async () => {
  await assertScreen('get-samm.txt', async () => {
    const text = await from.ok('get', 'samm');
    return `$ kubectl get samm\n${normalizeScreen(text, machines)}`;
  });
  const argv = ['describe', 'cluster', CLUSTER, '--show-conditions', 'all', '--grouping=false'];
  await assertScreen('describe-cluster.txt', async () => {
    const { stdout } = await source.clusterctl(...argv);
    return `$ clusterctl ${argv.join(' ')}\n${normalizeScreen(stdout, machines)}`;
  });
});

test('clusterctl move moves a working fleet without reinstalling, renaming, restarting or releasing a host', {
  skip,
}, async () => {
  const [machine] = machines;
  const node = machine?.metadata.name ?? '';
  await from.createPod('guest', { node, image: IMAGE, script: 'while :; do sleep 0.2; done' });
  const guest = await from.awaitPhase('guest', 'Running');
  const before = servers();
  const since = source.world.deps.journal.entries.length;
  const moved = await source.clusterctl('move', '--to-kubeconfig', target.cluster.kubeconfigs.admin.path);
  assert.equal(moved.code, 0, moved.stderr);
  await eventuallyHolds(async () => {
    const there = await to.machines('runners');
    assert.deepEqual(there.map(summary), machines.map(summary));
    for (const one of there) {
      assert.equal(findCondition(one, 'HostBootstrapped')?.status, 'True');
      const { reason, message } = findCondition(one, 'NodeReady') ?? {};
      // The Mac stays a Node of the source cluster until an operator lets it join the target.
      assert.deepEqual(
        [reason, message],
        ['WaitingForNode', `the agent has not registered the Node ${one.metadata.name}`],
      );
    }
  });
  assert.deepEqual(servers(), before);
  assert.deepEqual([vendorWrites(since), restarts(since)], [[], []]);
  const after = await from.pod('guest');
  assert.deepEqual(after.status?.containerStatuses, guest.status?.containerStatuses);
  await from.ok('exec', 'guest', '--', 'true');
});

const summary = ({ metadata, spec }: ScalewayAppleSiliconMachine) => [
  metadata.name,
  spec.providerID,
  spec.claimRef?.name,
];

test('the moved machines hold their hosts in the target cluster, with the status of before', { skip }, async () => {
  const there = await to.machines('runners');
  for (const { metadata, spec } of there) {
    await eventuallyHolds(async () => {
      const host = await to.json<MacHost>('machost', spec.claimRef?.name ?? '');
      assert.deepEqual([host.spec.consumerRef?.uid, host.spec.claimEpoch], [metadata.uid, 2]);
      assert.equal(host.status?.state, 'Serving');
      assert.equal(host.status?.plan?.applied, host.status?.plan?.desired);
      assert.equal(findCondition(host, 'Ready')?.status, 'True');
    });
  }
});

test('the source cluster reports the hosts that it no longer holds, and does not touch them', {
  skip,
}, async () => {
  assert.deepEqual(await from.machines('runners'), []);
  const before = servers();
  const since = source.world.deps.journal.entries.length;
  await eventuallyHolds(async () => {
    const text = await (await fetch(metrics)).text();
    assert.match(text, /minifleet_orphan_hosts 2\n/);
  });
  for (const host of (await from.hosts()).filter(({ spec }) => spec.consumerRef))
    assert.equal(findCondition(host, 'Claimed')?.reason, 'ConsumerMissing');
  assert.deepEqual(servers(), before);
  assert.deepEqual(vendorWrites(since), []);
});

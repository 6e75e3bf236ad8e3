import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventuallyHolds } from '@minifleet/clock/testing';
import { findCondition } from '@minifleet/kube';
import { findFreePorts } from '@minifleet/local-cluster';
import { noHostNetwork } from '../packages/local-cluster/testing/host-network-support.ts';
import { type FleetBench, IMAGE, openFleetBench } from './testing/fleet-bench.ts';
import type { FleetCluster } from './testing/fleet-cluster.ts';
import { type FleetInSentences, fleetInSentences, type Samm } from './testing/fleet-in-sentences.ts';
import { CLUSTER } from './testing/fleet-objects.ts';
import { assertShown, steadyScreen } from './testing/steady-screen.ts';

const skip = noHostNetwork;

let source: FleetBench;
let target: FleetCluster;
let from: FleetInSentences;
let to: FleetInSentences;
let metrics: string;
let machines: readonly Samm[];

/** A sweep that returns orphans, every second. */
const SWEEPS = ['--orphan-reclaim-interval=1s', '--reclaim-orphans'];

before(async () => {
  if (skip !== false) return;
  source = await openFleetBench({ macs: 3 });
  const [port] = await findFreePorts(1);
  metrics = `http://127.0.0.1:${port}/metrics`;
  source.startProvider([...SWEEPS, `--bind-address=127.0.0.1:${port}`]);
  await source.createFleet({ name: 'runners', replicas: 2 });
  target = await source.another();
  target.startProvider(SWEEPS);
  from = fleetInSentences(source);
  to = fleetInSentences({ kubectl: target.kubectl, world: source.world });
  machines = await from.serves('runners', 2);
});
after(() => source?.stop());

const servers = () => source.world.scaleway.console.servers();
/** What was asked of the vendor beyond looking. */
const asked = (since: number): string[] =>
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

test('kubectl get samm and clusterctl describe show the fleet as docs/screens have it', { skip }, async () => {
  await assertShown('get-samm.txt', async () => {
    const text = await from.ok('get', 'samm');
    return `$ kubectl get samm\n${steadyScreen(text, machines)}`;
  });
  const argv = ['describe', 'cluster', CLUSTER, '--show-conditions', 'all', '--grouping=false'];
  await assertShown('describe-cluster.txt', async () => {
    const { stdout } = await source.clusterctl(...argv);
    return `$ clusterctl ${argv.join(' ')}\n${steadyScreen(stdout, machines)}`;
  });
});

test('clusterctl move takes a fleet to another cluster while its Macs work: no host is wiped, renamed, restarted or let go', {
  skip,
}, async () => {
  const [machine] = machines;
  const node = machine?.metadata.name ?? '';
  await from.createPod('guest', { node, image: IMAGE, script: 'while :; do sleep 0.2; done' });
  const guest = await from.reaches('guest', 'Running');
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
      // The Mac is a Node of the cluster it came from until somebody lets it join this one.
      assert.deepEqual(
        [reason, message],
        ['WaitingForNode', `the agent has not registered the Node ${one.metadata.name}`],
      );
    }
  });
  assert.deepEqual(servers(), before);
  assert.deepEqual([asked(since), restarts(since)], [[], []]);
  const after = await from.pod('guest');
  assert.deepEqual(after.status?.containerStatuses, guest.status?.containerStatuses);
  await from.ok('exec', 'guest', '--', 'true');
});

const summary = ({ metadata, spec }: Samm) => [metadata.name, spec.providerID, spec.claimRef?.name];

test('the claims are held in the target by the machines that came', { skip }, async () => {
  const there = await to.machines('runners');
  for (const { metadata, spec } of there) {
    await eventuallyHolds(async () => {
      const claim = await to.json<Claim>('hostclaim', spec.claimRef?.name ?? '');
      assert.deepEqual([claim.spec.machineRef.uid, claim.spec.claimEpoch], [metadata.uid, 2]);
      assert.equal(findCondition(claim, 'Ready')?.status, 'True');
    });
  }
});

test('the sweep of the source counts what was left behind and keeps its hands off; a person clears the claims there', {
  skip,
}, async () => {
  assert.deepEqual(await from.machines('runners'), []);
  const before = servers();
  const since = source.world.deps.journal.entries.length;
  await eventuallyHolds(async () => {
    const text = await (await fetch(metrics)).text();
    assert.match(text, /orphan_hosts\{kind="left_behind"\} 2\n/);
    assert.match(text, /orphan_hosts\{kind="orphaned"\} 0\n/);
  });
  await from.ok('delete', 'hostclaims', '--all', '--timeout=180s');
  assert.deepEqual(servers(), before);
  assert.deepEqual(asked(since), []);
});

interface Claim extends Omit<Samm, 'spec'> {
  readonly spec: { readonly claimEpoch: number; readonly machineRef: { readonly uid: string } };
}

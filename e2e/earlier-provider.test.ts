import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { kinds } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { eventually } from '@minifleet/clock/testing';
import { customResourceDefinitions } from '@minifleet/kube';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import { root } from '@minifleet/world/mac';
import { BEFORE_MAC_HOSTS, commitOf, type EarlierVersion, openEarlierVersion } from './testing/earlier-version.ts';
import { type FleetBench, IMAGE, openFleetBench } from './testing/fleet-bench.ts';
import { createFleetDriver, type FleetDriver } from './testing/fleet-driver.ts';
import { earlierFleetFile, installEarlierVersion } from './testing/install-earlier-version.ts';
import { type ProviderProcess, startProvider } from './testing/provider-process.ts';

const missing = `this checkout does not have commit ${BEFORE_MAC_HOSTS}; fetch the whole history: git fetch --unshallow`;
const skip = noHostNetwork || ((await commitOf(BEFORE_MAC_HOSTS)) === undefined && missing);

const LEADER = ['--leader-elect'];

let bench: FleetBench;
let fleet: FleetDriver;
let earlier: EarlierVersion;

before(async () => {
  if (skip !== false) return;
  [bench, earlier] = await Promise.all([openFleetBench({ macs: 3 }), openEarlierVersion(BEFORE_MAC_HOSTS)]);
  fleet = createFleetDriver(bench);
  await installEarlierVersion(bench, earlier);
});
after(async () => {
  await bench?.stop();
  await earlier?.[Symbol.asyncDispose]();
});

const commands = (since: number): string[] =>
  bench.world.deps.journal.entries
    .slice(since)
    .flatMap(({ place, what, detail }) => (what === 'command' ? `${place}: ${detail}` : []));

/** The command with which a process gives up its lease on a Mac. The Mac refuses it, and writes nothing, if another process has the lease. */
const RELEASE = /' lease release \S+ /;

const ledgers = (): readonly string[] =>
  [...bench.world.hosts.all.values()].map(({ mac }) =>
    mac.files.read(root, '/var/db/minifleet/ledger.json').toString(),
  );

const servers = () => bench.world.scaleway.console.servers();

const startEarlier = async (): Promise<ProviderProcess> =>
  startProvider({
    root: earlier.root,
    kubeconfig: bench.cluster.kubeconfigs.admin.path,
    world: bench.world,
    flags: [`--fleet-file=${await earlierFleetFile(bench.fleetFile.path)}`, ...LEADER],
  });

/** Applies the CRDs and the RBAC of this version, as the upgrade of the chart minifleet-crds does. */
async function installThisVersion(): Promise<void> {
  for (const kind of kinds)
    await bench.admin.apply(customResourceDefinitions, kind.crd() as never, { fieldManager: 'e2e', force: true });
  await fleet.ok('apply', '-f', 'config/rbac');
}

test('an earlier provider stops responding during a bootstrap, this version replaces it, and it changes nothing when it returns', {
  skip,
}, async () => {
  const old = await startEarlier();
  await bench.createFleet({ name: 'runners', replicas: 2 });
  await fleet.ok('wait', 'machinedeployment/runners', '--for=condition=Available', '--timeout=240s');
  const [node] = await fleet.nodes();
  assert.ok(node);
  await fleet.createPod('busy', { node: node.metadata.name, image: IMAGE, script: 'while :; do sleep 0.2; done' });
  const busy = await fleet.awaitPhase('busy', 'Running');

  const beforeThird = bench.world.deps.journal.entries.length;
  await fleet.ok('scale', 'machinedeployment', 'runners', '--replicas=3');
  await eventually(() => commands(beforeThird).length >= 20, {
    what: 'commands on the third Mac',
    deadline: seconds(90),
  });
  process.kill(old.pid, 'SIGSTOP');
  const stopped = servers();
  await installThisVersion();
  // Inspections of this version would be commands on the Macs, too.
  bench.startProvider([...LEADER, '--inspect-every=1h']);
  // The lease of the earlier provider on the Mac expires after two minutes.
  const machines = await fleet.awaitReady('runners', 3, seconds(400));

  assert.equal(await fleet.ok('get', 'hostclaims', '-o', 'name'), '');
  assert.equal(new Set(machines.map(({ spec }) => spec.claimRef?.name)).size, 3);
  assert.deepEqual(servers(), stopped, 'the same servers, names and installations');
  const returned = bench.world.deps.journal.entries.length;
  const records = ledgers();
  process.kill(old.pid, 'SIGCONT');
  assert.notEqual(await old.exit, 0, 'a provider that lost its lease ends with an error');
  assert.deepEqual(
    commands(returned).filter(command => !RELEASE.test(command)),
    [],
  );
  assert.deepEqual(ledgers(), records);
  assert.deepEqual(servers(), stopped);
  await fleet.awaitReady('runners', 3);
  const after = await fleet.pod('busy');
  assert.deepEqual(after.status?.containerStatuses, busy.status?.containerStatuses);
});

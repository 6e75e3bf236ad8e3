import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import { findCondition, type KubeObject } from '@minifleet/kube';
import { noHostNetwork } from '@minifleet/local-cluster/testing/host-network-support';
import type { Job } from '@minifleet/world';
import { type BuiltMac, builderOf, execute, m1, tartOf } from '@minifleet/world/mac';
import { clickAllow } from '@minifleet/world/testing';
import { homebrewOf } from '@minifleet/world/testing/mac';
import { BUILDERS, type BuildersBench, builderMachine, LABELS, openBuildersBench } from './testing/builders-bench.ts';
import { IMAGE } from './testing/fleet-bench.ts';
import {
  createFleetDriver,
  type FleetDriver,
  type MacHost,
  type ScalewayAppleSiliconMachine,
} from './testing/fleet-driver.ts';
import { podSpec } from './testing/kubectl-driver.ts';
import type { ProviderProcess } from './testing/provider-process.ts';

const skip = noHostNetwork;
const AGENT = 'system/dev.tuist.tart-kubelet';
const GATE = 'BuilderRunnerOnline';
/** A builder has more steps than a node, and some take seconds to settle. */
const TIMEOUT = seconds(150);

let bench: BuildersBench;
let provider: ProviderProcess;
let fleet: FleetDriver;
/** The bake that several tests use, and its machine. */
let bake: Job;
let baking: ScalewayAppleSiliconMachine;

before(async () => {
  if (skip !== false) return;
  bench = await openBuildersBench(3);
  fleet = createFleetDriver(bench);
  provider = bench.startBuilderProvider();
});
after(async () => {
  await bench?.stop();
  if (bench) assert.deepEqual(bench.world.deps.journal.gaps, [], 'requests that the world does not model');
});

const scale = (replicas: number): Promise<string> =>
  fleet.ok('scale', 'machinedeployment', BUILDERS, `--replicas=${replicas}`);
const names = (machines: readonly ScalewayAppleSiliconMachine[]): string[] =>
  machines.map(({ metadata }) => metadata.name).toSorted();
const machineOf = ({ metadata }: ScalewayAppleSiliconMachine): Promise<ScalewayAppleSiliconMachine> =>
  fleet.json<ScalewayAppleSiliconMachine>('machine', metadata.name);
const bootstrapCondition = ({ metadata }: ScalewayAppleSiliconMachine) =>
  fleet
    .json<ScalewayAppleSiliconMachine>('samm', metadata.name)
    .then(machine => findCondition(machine, 'HostBootstrapped'));

/** Triggers a reconcile. The provider polls GitHub only every few minutes or when the object changes. */
const reconcile = ({ kind, metadata }: ScalewayAppleSiliconMachine | MacHost): Promise<string> =>
  fleet.ok('annotate', kind, metadata.name, `look=${performance.now()}`, '--overwrite');

test('kubectl scale turns Macs of the pool into builders with a runner that is online at GitHub', {
  skip,
}, async t => {
  await bench.createFleet({ name: BUILDERS, replicas: 0, machine: builderMachine, readinessGates: [GATE] });
  const began = performance.now();
  await scale(2);
  const machines = await fleet.awaitReady(BUILDERS, 2, TIMEOUT);
  t.diagnostic(`two builders after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  assert.deepEqual(
    bench.runners(),
    names(machines).map(name => `${name} online`),
  );
  for (const machine of machines) {
    assert.equal(findCondition(await machineOf(machine), GATE)?.reason, 'RunnerOnline');
    const mac = bench.macOf(machine);
    // In the Aqua session of the user.
    const label = `gui/501/actions.runner.acme.${machine.metadata.name}`;
    assert.match(await bench.runAsRoot(mac, `launchctl print ${label}`), /state = running/);
    assert.match(await bench.runAsRoot(mac, `launchctl print ${AGENT}`), /--disable-vm-gc/);
  }
  assert.equal(fleet.pool().length, 1);
});

test('a Pod that tolerates Macs is not scheduled on a builder', { skip }, async () => {
  const [machine] = await fleet.machines(BUILDERS);
  assert.ok(machine);
  const spec = podSpec({ node: machine.metadata.name, image: IMAGE });
  const pod = (name: string, more: readonly object[]) => ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
    spec: { ...spec, tolerations: [...spec.tolerations, ...more] },
  });
  await fleet.apply(pod('lost', []));
  await eventuallyHolds(async () => {
    const { status } = await fleet.pod('lost');
    assert.match(status?.conditions?.[0]?.message ?? '', /nodes are available: .* untolerated taint/);
  });
  // Only the taint prevents the scheduling.
  await fleet.apply(pod('meant', [{ key: 'minifleet.dev/builder', operator: 'Exists' }]));
  await eventually(async () => (await fleet.pod('meant')).spec?.nodeName === machine.metadata.name);
  assert.equal((await fleet.pod('lost')).spec?.nodeName, undefined);
  await fleet.ok('delete', 'pod', 'lost', 'meant', '--grace-period=1');
});

test('an offline runner makes its Machine not Ready through the readiness gate, and is started again', {
  skip,
}, async () => {
  const [machine] = await fleet.machines(BUILDERS);
  assert.ok(machine);
  const { name } = machine.metadata;
  const builder = builderOf(bench.macOf(machine));
  const { forge } = builder;
  assert.ok(forge);
  builder.forge = { ...forge, connect: () => ({ unreachable: 'Name or service not known (api.github.com:443)' }) };
  await bench.runAsRoot(bench.macOf(machine), `launchctl bootout gui/501/actions.runner.acme.${name}`);
  await eventually(() => bench.runners().includes(`${name} offline`), { what: 'the runner to go offline' });
  await eventually(
    async () => {
      await reconcile(machine);
      const ready = findCondition(await machineOf(machine), 'Ready');
      return (
        ready?.status === 'False' &&
        ready.message.includes(`* ${GATE}: GitHub reports the runner ${name} of acme as offline`)
      );
    },
    { what: 'the Machine to be not Ready', deadline: seconds(180), interval: seconds(0.5) },
  );
  builder.forge = forge;
  await eventually(
    async () => {
      await reconcile(machine);
      return findCondition(await machineOf(machine), 'Ready')?.status === 'True';
    },
    { what: 'the Machine to be Ready', deadline: seconds(180), interval: seconds(1) },
  );
  assert.ok(bench.runners().includes(`${name} online`));
});

/** Script of the builders' workflow: bake, then push. */
const BAKE = `
printf 'source "tart-cli" "runner" {\\n  vm_base_name = "${IMAGE}"\\n  vm_name = "tuist-runner"\\n  ssh_timeout = "15m"\\n}\\n' > runner.pkr.hcl
packer build runner.pkr.hcl
export TART_REGISTRY_HOSTNAME=ghcr.io TART_REGISTRY_USERNAME=acme TART_REGISTRY_PASSWORD=secret TART_NO_AUTO_PRUNE=1
tart push tuist-runner ghcr.io/acme/runner:1
`;

test('a builder runs a bake with its own Tart and pushes the image in stages', { skip }, async () => {
  const machines = await fleet.awaitReady(BUILDERS, 2, TIMEOUT);
  for (const machine of machines) {
    const mac = bench.macOf(machine);
    clickAllow(mac, '/opt/homebrew/bin/packer');
    tartOf(mac).change({ push: { holds: 'disk' } });
  }
  bake = bench.world.github.queueJob({ repository: 'acme/app', labels: LABELS, name: 'bake', script: BAKE });
  await eventually(() => bake.log.includes('pushing disk') || bake.status === 'completed', {
    what: 'the push of the disk',
    deadline: seconds(180),
  });
  assert.equal(bake.status, 'in_progress', bake.log);
  const taken = machines.find(({ metadata }) => metadata.name === bake.runner?.name);
  assert.ok(taken, `${bake.runner?.name} runs the bake`);
  baking = taken;
});

test('a rollout to a host with a running bake waits and reports why', { skip }, async () => {
  const since = bench.world.deps.journal.entries.length;
  const host = () => fleet.json<MacHost>('machost', baking.spec.claimRef?.name ?? '');
  const before = (await host()).status?.plan?.applied;
  await bench.fleetFile.write({ hostCpu: 6 });
  await provider.stop();
  provider = bench.startBuilderProvider();
  await eventuallyHolds(async () => {
    const condition = await bootstrapCondition(baking);
    assert.equal(condition?.status, 'True');
    assert.match(condition?.message ?? '', /a new plan is pending: its runner \S+ is running a job/);
  });
  assert.equal((await host()).status?.plan?.applied, before);
  assert.deepEqual(
    fleet.commandsOn(baking, since).filter(command => /launchctl (kickstart|bootstrap|bootout)|brew /.test(command)),
    [],
  );
});

test('I28 a push completes during garbage collection, because the agent of a builder deletes no VM', {
  skip,
}, async () => {
  const mac = bench.macOf(baking);
  const pid = async () => /\bpid = (\d+)/.exec(await bench.runAsRoot(mac, `launchctl print ${AGENT}`))?.[1];
  const before = await pid();
  // The agent collects garbage when it starts and then every five minutes. The collection at a start deleted the VM in the incident.
  await bench.runAsRoot(mac, `launchctl kickstart -k ${AGENT}`);
  await eventually(async () => ![before, undefined].includes(await pid()), { what: 'a new agent process' });
  const { name } = baking.metadata;
  await fleet.ok('wait', '--for=condition=Ready', `node/${name}`, '--timeout=180s');
  const metrics = () => fleet.ok('get', '--raw', `/api/v1/nodes/${name}/proxy/metrics`);
  const text = await eventually(async () => /tart_kubelet_/.test(await metrics()) && metrics(), {
    what: 'its metrics',
  });
  assert.deepEqual(text.match(/^tart_kubelet_gc_passes_total\{.*\} [1-9].*$/gm), null);
  assert.equal(await tart(mac, 'list --source local -q'), 'tuist-runner\n');
  assert.equal(bake.status, 'in_progress', bake.log);
  tartOf(mac).change({ push: {} });
  assert.equal(await bake.ended, 'success', bake.log);
  assert.match(bake.log, /pushing NVRAM[\s\S]*pushing manifest for ghcr\.io\/acme\/runner:1/);
  assert.ok(bench.world.registry.content.manifests.has('acme/runner'), 'the pushed image is complete');
  assert.deepEqual(bench.world.github.doubles(), []);
});

const tart = async (mac: BuiltMac, argv: string): Promise<string> =>
  (await execute(mac, `/usr/local/bin/tart ${argv}`, { user: m1 })).out;

test('after the bake both builders are rolled out and keep their flag and their runner', { skip }, async () => {
  await eventually(
    async () => {
      const hosts = await fleet.hosts(BUILDERS);
      await Promise.all(hosts.map(reconcile));
      return hosts.every(({ status }) => status?.plan?.applied === status?.plan?.desired && !status?.job);
    },
    { what: 'the end of the rollout', deadline: seconds(180), interval: seconds(1) },
  );
  const machines = await fleet.awaitReady(BUILDERS, 2, TIMEOUT);
  for (const machine of machines) {
    const printed = await bench.runAsRoot(bench.macOf(machine), `launchctl print ${AGENT}`);
    assert.match(printed, /--host-cpu=6/);
    assert.match(printed, /--disable-vm-gc/);
  }
  assert.deepEqual(
    bench.runners(),
    names(machines).map(name => `${name} online`),
  );
});

test('I26 a Packer that an operator upgraded is reported as drift, kept and pinned', { skip }, async () => {
  const [machine] = await fleet.machines(BUILDERS);
  assert.ok(machine);
  const mac = bench.macOf(machine);
  const offer = (version: string): void => {
    const formula = homebrewOf(mac).formulae.get('packer');
    assert.ok(formula);
    formula.version = version;
  };
  const brew = async (argv: string): Promise<string> =>
    (await execute(mac, `/opt/homebrew/bin/brew ${argv}`, { user: m1 })).out;
  offer('1.99.0');
  await brew('unpin packer');
  await brew('upgrade packer');
  assert.equal(await brew('list --versions packer'), 'packer 1.99.0\n');
  const events = () =>
    fleet.ok('get', 'events', '--field-selector', `involvedObject.name=${machine.spec.claimRef?.name}`, '-o', 'json');
  await eventually(
    async () => {
      const { items } = JSON.parse(await events()) as { items: (KubeObject & { message: string })[] };
      return items.some(({ message }) => message.includes('drifted steps: builder-tools'));
    },
    { what: 'the event about the drift', deadline: seconds(180), interval: seconds(0.5) },
  );
  await eventually(async () => (await brew('list --pinned')) === 'packer\n', {
    what: 'the pin',
    deadline: seconds(180),
    interval: seconds(0.5),
  });
  assert.equal(await brew('list --versions packer'), 'packer 1.99.0\n');
});

test('a scale-down to 0 removes the runners from GitHub and returns the Macs to the pool', { skip }, async () => {
  const machines = await fleet.awaitReady(BUILDERS, 2, TIMEOUT);
  await scale(0);
  for (const name of names(machines)) await fleet.awaitDeleted(name);
  assert.deepEqual(bench.runners(), []);
  await eventually(() => fleet.pool().length === 3, { what: 'three free hosts', deadline: seconds(180) });
  assert.deepEqual(
    (await fleet.hosts()).filter(({ spec }) => spec.consumerRef),
    [],
  );
});

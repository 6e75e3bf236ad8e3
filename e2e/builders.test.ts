import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seconds } from '@minifleet/clock';
import { eventually, eventuallyHolds } from '@minifleet/clock/testing';
import { findCondition, type KubeObject } from '@minifleet/kube';
import type { Job } from '@minifleet/world';
import { type BuiltMac, builderOf, execute, m1, tartOf } from '@minifleet/world/mac';
import { noHostNetwork } from '../packages/local-cluster/testing/host-network-support.ts';
import { homebrewOf } from '../packages/world/mac/builder/brew.ts';
import { clickAllow } from '../packages/world/mac/local-network/local-network.ts';
import {
  BUILDERS,
  type BuildersBench,
  builderMachine,
  LABELS,
  openBuildersBench,
  PACKER,
} from './testing/builders-bench.ts';
import { IMAGE } from './testing/fleet-bench.ts';
import { type FleetInSentences, fleetInSentences, type Samm } from './testing/fleet-in-sentences.ts';
import { podSpec } from './testing/kubectl-in-sentences.ts';
import type { ProviderProcess } from './testing/provider-process.ts';

const skip = noHostNetwork;
const AGENT = 'system/dev.tuist.tart-kubelet';
const GATE = 'BuilderRunnerOnline';
/** A builder has more steps than a node, and some of them settle for seconds. */
const PATIENCE = seconds(150);

let bench: BuildersBench;
let provider: ProviderProcess;
let fleet: FleetInSentences;
/** The bake that goes on from test to test, and where. */
let bake: Job;
let baking: Samm;

before(async () => {
  if (skip !== false) return;
  bench = await openBuildersBench(3);
  fleet = fleetInSentences(bench);
  provider = bench.startBuilders();
});
after(async () => {
  await bench?.stop();
  if (bench) assert.deepEqual(bench.world.deps.journal.gaps, [], 'nothing was relied on that the world does not model');
});

const scale = (replicas: number): Promise<string> =>
  fleet.ok('scale', 'machinedeployment', BUILDERS, `--replicas=${replicas}`);
const names = (machines: readonly Samm[]): string[] => machines.map(({ metadata }) => metadata.name).toSorted();
const machineOf = ({ metadata }: Samm): Promise<Samm> => fleet.json<Samm>('machine', metadata.name);
const bootstrapped = ({ metadata }: Samm) =>
  fleet.json<Samm>('samm', metadata.name).then(samm => findCondition(samm, 'HostBootstrapped'));

/** Nothing wakes a provider when something happens at GitHub: it looks every few minutes, or when the machine changes. */
const look = ({ metadata }: Samm): Promise<string> =>
  fleet.ok('annotate', 'samm', metadata.name, `look=${performance.now()}`, '--overwrite');

test('kubectl scale makes Macs of the pool builders: Nodes with a runner that is online at GitHub', {
  skip,
}, async t => {
  await bench.createFleet({ name: BUILDERS, replicas: 0, machine: builderMachine, readinessGates: [GATE] });
  const began = performance.now();
  await scale(2);
  const machines = await fleet.serves(BUILDERS, 2, PATIENCE);
  t.diagnostic(`two builders after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  assert.deepEqual(
    bench.runners(),
    names(machines).map(name => `${name} online`),
  );
  for (const machine of machines) {
    assert.equal(findCondition(await machineOf(machine), GATE)?.reason, 'RunnerOnline');
    const mac = bench.macOf(machine);
    // In the session at the screen, as the user there.
    const label = `gui/501/actions.runner.acme.${machine.metadata.name}`;
    assert.match(await bench.on(mac, `launchctl print ${label}`), /state = running/);
    assert.match(await bench.on(mac, `launchctl print ${AGENT}`), /--disable-vm-gc/);
  }
  assert.equal(fleet.pool().length, 1);
});

test('no Pod comes to a builder, also none that tolerates Macs', { skip }, async () => {
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
  // Nothing else keeps it away.
  await fleet.apply(pod('meant', [{ key: 'minifleet.dev/builder', operator: 'Exists' }]));
  await eventually(async () => (await fleet.pod('meant')).spec?.nodeName === machine.metadata.name);
  assert.equal((await fleet.pod('lost')).spec?.nodeName, undefined);
  await fleet.ok('delete', 'pod', 'lost', 'meant', '--grace-period=1');
});

test('a runner that GitHub sees no more makes its Machine unready by the gate, and is brought back', {
  skip,
}, async () => {
  const [machine] = await fleet.machines(BUILDERS);
  assert.ok(machine);
  const { name } = machine.metadata;
  const builder = builderOf(bench.macOf(machine));
  const { forge } = builder;
  assert.ok(forge);
  builder.forge = { ...forge, connect: () => ({ unreachable: 'Name or service not known (api.github.com:443)' }) };
  await bench.on(bench.macOf(machine), `launchctl bootout gui/501/actions.runner.acme.${name}`);
  await eventually(() => bench.runners().includes(`${name} offline`), { what: 'GitHub sees it go' });
  await eventually(
    async () => {
      await look(machine);
      const ready = findCondition(await machineOf(machine), 'Ready');
      return (
        ready?.status === 'False' &&
        ready.message.includes(`* ${GATE}: GitHub reports the runner ${name} of acme as offline`)
      );
    },
    { what: 'core sees it go', deadline: seconds(180), interval: seconds(0.5) },
  );
  builder.forge = forge;
  await eventually(
    async () => {
      await look(machine);
      return findCondition(await machineOf(machine), 'Ready')?.status === 'True';
    },
    { what: 'it is back', deadline: seconds(180), interval: seconds(1) },
  );
  assert.ok(bench.runners().includes(`${name} online`));
});

/** What a workflow of the builders does: bake, then push. */
const BAKE = `
printf 'source "tart-cli" "runner" {\\n  vm_base_name = "${IMAGE}"\\n  vm_name = "tuist-runner"\\n  ssh_timeout = "15m"\\n}\\n' > runner.pkr.hcl
packer build runner.pkr.hcl
export TART_REGISTRY_HOSTNAME=ghcr.io TART_REGISTRY_USERNAME=acme TART_REGISTRY_PASSWORD=secret TART_NO_AUTO_PRUNE=1
tart push tuist-runner ghcr.io/acme/runner:1
`;

test('a bake is taken by one of them, built on its own Tart and pushed in stages', { skip }, async () => {
  const machines = await fleet.serves(BUILDERS, 2, PATIENCE);
  for (const machine of machines) {
    const mac = bench.macOf(machine);
    clickAllow(mac, '/opt/homebrew/bin/packer');
    tartOf(mac).change({ push: { holds: 'disk' } });
  }
  bake = bench.world.github.queueJob({ repository: 'acme/app', labels: LABELS, name: 'bake', script: BAKE });
  await eventually(() => bake.log.includes('pushing disk') || bake.status === 'completed', {
    what: 'the disk is being pushed',
    deadline: seconds(180),
  });
  assert.equal(bake.status, 'in_progress', bake.log);
  const taken = machines.find(({ metadata }) => metadata.name === bake.runner?.name);
  assert.ok(taken, `${bake.runner?.name} took it`);
  baking = taken;
});

test('a host that is to be rolled during the bake waits for it, and says so', { skip }, async () => {
  const since = bench.world.deps.journal.entries.length;
  const before = (await fleet.json<Samm>('samm', baking.metadata.name)).status?.plan?.applied;
  await bench.want({ hostCpu: 6 });
  await provider.stop();
  provider = bench.startBuilders();
  await eventuallyHolds(async () => {
    const condition = await bootstrapped(baking);
    assert.equal(condition?.status, 'True');
    assert.match(condition?.message ?? '', /a new plan is pending: its runner \S+ is running a job/);
  });
  const { status } = await fleet.json<Samm>('samm', baking.metadata.name);
  assert.equal(status?.plan?.applied, before);
  assert.deepEqual(
    fleet.commandsOn(baking, since).filter(command => /launchctl (kickstart|bootstrap|bootout)|brew /.test(command)),
    [],
  );
});

test('I28 a push that outlasts passes of the agent is whole: a builder’s agent collects nothing', {
  skip,
}, async () => {
  const mac = bench.macOf(baking);
  const pid = async () => /\bpid = (\d+)/.exec(await bench.on(mac, `launchctl print ${AGENT}`))?.[1];
  const before = await pid();
  // An agent collects when it starts, and then each five minutes: a start is the pass that met the push of the incident.
  await bench.on(mac, `launchctl kickstart -k ${AGENT}`);
  await eventually(async () => ![before, undefined].includes(await pid()), { what: 'the agent is another process' });
  const { name } = baking.metadata;
  await fleet.ok('wait', '--for=condition=Ready', `node/${name}`, '--timeout=180s');
  const metrics = () => fleet.ok('get', '--raw', `/api/v1/nodes/${name}/proxy/metrics`);
  const seen = await eventually(async () => /tart_kubelet_/.test(await metrics()) && metrics(), {
    what: 'its metrics',
  });
  assert.deepEqual(seen.match(/^tart_kubelet_gc_passes_total\{.*\} [1-9].*$/gm), null);
  assert.equal(await tart(mac, 'list --source local -q'), 'tuist-runner\n');
  assert.equal(bake.status, 'in_progress', bake.log);
  tartOf(mac).change({ push: {} });
  assert.equal(await bake.ended, 'success', bake.log);
  assert.match(bake.log, /pushing NVRAM[\s\S]*pushing manifest for ghcr\.io\/acme\/runner:1/);
  assert.ok(bench.world.registry.content.manifests.has('acme/runner'), 'what was pushed is whole');
  assert.deepEqual(bench.world.github.doubles(), []);
});

const tart = async (mac: BuiltMac, words: string): Promise<string> =>
  (await execute(mac, `/usr/local/bin/tart ${words}`, { user: m1 })).out;

test('when the bake is over both are rolled, the flag of a builder and its runner with them', { skip }, async () => {
  await eventually(
    async () => {
      const machines = await fleet.machines(BUILDERS);
      await Promise.all(machines.map(look));
      return machines.every(({ status }) => status?.plan?.applied === status?.plan?.desired && !status?.job);
    },
    { what: 'the roll is over', deadline: seconds(180), interval: seconds(1) },
  );
  const machines = await fleet.serves(BUILDERS, 2, PATIENCE);
  for (const machine of machines) {
    const printed = await bench.on(bench.macOf(machine), `launchctl print ${AGENT}`);
    assert.match(printed, /--host-cpu=6/);
    assert.match(printed, /--disable-vm-gc/);
  }
  assert.deepEqual(
    bench.runners(),
    names(machines).map(name => `${name} online`),
  );
});

test('I26 a Packer that somebody upgraded is seen as drift, named, and put back', { skip }, async () => {
  const [machine] = await fleet.machines(BUILDERS);
  assert.ok(machine);
  const mac = bench.macOf(machine);
  const offer = (version: string): void => {
    const formula = homebrewOf(mac).formulae.get('packer');
    assert.ok(formula);
    formula.version = version;
  };
  const brew = async (words: string): Promise<string> =>
    (await execute(mac, `/opt/homebrew/bin/brew ${words}`, { user: m1 })).out;
  offer('1.99.0');
  await brew('unpin packer');
  await brew('upgrade packer');
  assert.equal(await brew('list --versions packer'), 'packer 1.99.0\n');
  offer(PACKER);
  const events = () =>
    fleet.ok('get', 'events', '--field-selector', `involvedObject.name=${machine.metadata.name}`, '-o', 'json');
  await eventually(
    async () => {
      const { items } = JSON.parse(await events()) as { items: (KubeObject & { message: string })[] };
      return items.some(({ message }) => message.includes('drifted steps: builder-tools'));
    },
    { what: 'the drift is told', deadline: seconds(180), interval: seconds(0.5) },
  );
  await eventually(async () => (await brew('list --versions packer')) === `packer ${PACKER}\n`, {
    what: 'the wanted one is back',
    deadline: seconds(180),
    interval: seconds(0.5),
  });
  await eventually(async () => (await brew('list --pinned')) === 'packer\n', { what: 'and pinned' });
});

test('scaled to 0 the runners are gone from GitHub and the minis are back in the pool', { skip }, async () => {
  const machines = await fleet.serves(BUILDERS, 2, PATIENCE);
  await scale(0);
  for (const name of names(machines)) await fleet.goes(name);
  assert.deepEqual(bench.runners(), []);
  await eventually(() => fleet.pool().length === 3, { what: 'all of them are free', deadline: seconds(180) });
  assert.deepEqual((await fleet.json<{ items: unknown[] }>('hostclaims')).items, []);
});

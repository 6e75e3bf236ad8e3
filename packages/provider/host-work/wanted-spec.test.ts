import assert from 'node:assert/strict';
import { test } from 'node:test';
import { names } from '@minifleet/api';
import { type FleetSpec, hostPlan } from '@minifleet/host';
import { another, fullSpec, leavesOf, replaced } from '@minifleet/host/testing/plan';
import { Secret } from '@minifleet/secret';
import { machineNamed } from './testing/machine.ts';
import { type WantedFrom, wantedHost, wantedSpec, waveOf } from './wanted-spec.ts';

const fleet: FleetSpec = { ...fullSpec.fleet, labels: { 'acme.dev/rack': 'a' } };
const runner = { ghOrg: 'acme', ghRunnerLabels: 'self-hosted,vm-image-builder' };
const access = { user: 'm1', password: new Secret('password', 'correct horse'), passwordRejected: false };
const ordinary: WantedFrom = { samm: machineNamed('mini-01', { hostCPU: 6, hostMemoryMB: 14_336 }), fleet, access };
const builder: WantedFrom = {
  ...ordinary,
  samm: machineNamed('mini-01', { ghActionsRunner: runner }),
  runnerUrl: 'https://github.acme.dev/acme',
};

const flagsOf = (from: WantedFrom): string =>
  JSON.stringify(wantedHost(from).plan.steps.find(({ id }) => id === 'agent-job')?.want);

/** Everything the steps are given, as text; artifacts are their hashes. */
const pushed = (from: WantedFrom): string =>
  JSON.stringify(wantedHost(from).plan.steps.map(({ id, identity }) => [id, identity]));

test('a Node gets the fleet’s label, its runtime and its providerID; a machine’s own CPU and memory go before the fleet’s', () => {
  const flags = flagsOf(ordinary);
  for (const flag of [
    '--node-name=mini-01',
    '--host-cpu=6',
    '--host-memory-mb=14336',
    '--node-labels=acme.dev/rack=a,tuist.dev/fleet=runners,tuist.dev/runtime=tart',
    `--provider-id=${ordinary.samm.spec.providerID}`,
  ])
    assert.ok(flags.includes(flag), `${flag} in ${flags}`);
});

test('0 is no opinion: the fleet’s CPU and memory stand', () => {
  const flags = flagsOf({ ...ordinary, samm: machineNamed('mini-01', { hostCPU: 0, hostMemoryMB: 0 }) });
  assert.ok(flags.includes('--host-cpu=8') && flags.includes('--host-memory-mb=16384'), flags);
});

test('a machine without a fleet gets no label of one', () => {
  const flags = flagsOf({ ...ordinary, samm: machineNamed('mini-01', { fleetName: '' }) });
  assert.ok(!flags.includes('tuist.dev/fleet'), flags);
});

test('only a machine with a runner is a builder, though the provider could make one of each', () => {
  assert.equal(wantedSpec(ordinary).fleet.builder, undefined);
  const made = wantedSpec(builder).fleet.builder?.runner;
  assert.equal(made?.url, 'https://github.acme.dev/acme', 'the forge says where, an Enterprise Server too');
  assert.deepEqual(made?.labels, ['self-hosted', 'vm-image-builder']);
});

test('a builder without anything to make one of is refused by name', () => {
  const { builder: _, ...poor } = fullSpec.fleet;
  assert.throws(() => wantedHost({ ...builder, fleet: poor }), { name: 'BUILDER_MATERIAL_MISSING' });
});

test('a builder that asks for a newer runner than there is is refused in words; an older one is no less than asked', () => {
  const asking = (ghRunnerVersion: string): WantedFrom => ({
    ...builder,
    samm: machineNamed('mini-01', { ghActionsRunner: { ...runner, ghRunnerVersion } }),
  });
  const { version = '' } = fleet.builder?.runner ?? {};
  assert.throws(() => wantedHost(asking('99.0.0')), {
    code: 'BUILDER_RUNNER_OUTDATED',
    reason: 'BuilderMaterialMissing',
    message: new RegExp(`fleet/mini-01: .*ghRunnerVersion is 99\\.0\\.0, .* has ${version}; provide actions-runner`),
  });
  for (const asked of ['', version, '1.0.0'])
    assert.equal(wantedSpec(asking(asked)).fleet.builder?.runner.version, version, asked);
});

test('a builder’s Node is born with the builders’ taint, in the letters of the API', () => {
  const { key, value, effect } = names.taints.builder;
  assert.ok(flagsOf(builder).includes(`--register-with-taints=${key}=${value}:${effect}`));
  assert.ok(!flagsOf(ordinary).includes(key));
});

test('I29 a builder’s agent never collects VMs, in every rendering, with or without what it joins and registers with', () => {
  const secrets = { kubeconfig: new Secret('kubeconfig', 'k'), runnerToken: new Secret('token', 't') };
  for (const from of [builder, { ...builder, ...secrets }]) assert.ok(flagsOf(from).includes('--disable-vm-gc'));
  for (const { path, value } of leavesOf(fleet)) {
    const changed = { ...builder, fleet: replaced(fleet, path, another(value)) };
    assert.ok(flagsOf(changed).includes('--disable-vm-gc'), path.join('.'));
  }
  assert.ok(!flagsOf(ordinary).includes('--disable-vm-gc'));
});

test('a password the host refused is not wanted any more', () => {
  assert.equal(wantedSpec({ ...ordinary, access: { ...access, passwordRejected: true } }).host.password, undefined);
});

const HOW_IT_GETS_THERE = 'builder.homebrewInstaller';

for (const role of [
  { name: 'an ordinary host', from: ordinary },
  { name: 'a builder', from: builder },
]) {
  test(`I33 ${role.name}: what another fleet setting changes is hashed, and what is hashed is pushed`, () => {
    let moved = 0;
    for (const { path, value } of leavesOf(fleet)) {
      const name = path.join('.');
      if (name.startsWith(HOW_IT_GETS_THERE)) continue;
      const other = { ...role.from, fleet: replaced(fleet, path, another(value)) };
      const isPushed = pushed(other) !== pushed(role.from);
      assert.equal(wantedHost(other).desired !== wantedHost(role.from).desired, isPushed, name);
      assert.equal(waveOf(wantedHost(other).desired) !== waveOf(wantedHost(role.from).desired), isPushed, name);
      moved += isPushed ? 1 : 0;
    }
    assert.ok(moved > 10, `${moved} settings were pushed`);
  });

  test(`I33 ${role.name}: what another field of the machine changes is hashed, and what is hashed is pushed`, () => {
    const changes = {
      hostCPU: 4,
      hostMemoryMB: 8192,
      fleetName: 'canary',
      providerID: 'scw-applesilicon://fr-par-1/other',
      ghActionsRunner: { ghOrg: 'other', ghRunnerLabels: 'self-hosted' },
      os: 'Tahoe',
      kubeletVersion: 'v1.36.0',
      adoptPoolPrefix: 'tuist-pool-',
      hostRelease: 'Retain',
    } as const;
    const notTheHosts: readonly string[] = ['os', 'kubeletVersion', 'adoptPoolPrefix', 'hostRelease'];
    for (const [field, value] of Object.entries(changes)) {
      const samm = { ...role.from.samm, spec: { ...role.from.samm.spec, [field]: value } };
      const other = { ...role.from, samm };
      const isPushed = pushed(other) !== pushed(role.from);
      assert.equal(isPushed, !notTheHosts.includes(field), field);
      assert.equal(wantedHost(other).desired !== wantedHost(role.from).desired, isPushed, field);
    }
  });
}

test('what a host joins and registers with moves nothing: not having it any more is no other plan', () => {
  const kubeconfig = new Secret('kubeconfig', 'apiVersion: v1');
  const joining = wantedHost({ ...builder, kubeconfig, runnerToken: new Secret('token', 'AAA') });
  assert.equal(joining.desired, wantedHost(builder).desired);
  assert.ok(joining.plan.steps.some(({ id }) => id === 'agent-credentials'));
  assert.ok(!wantedHost(builder).plan.steps.some(({ id }) => id === 'agent-credentials'));
  assert.equal(wantedHost(builder).plan.fingerprint, hostPlan(wantedSpec(builder)).fingerprint);
});

test('hosts of one fleet share the wave, though each has a plan of its own', () => {
  const other = { ...ordinary, samm: { ...ordinary.samm, metadata: { ...ordinary.samm.metadata, name: 'mini-02' } } };
  const [one, two] = [wantedHost(ordinary).desired, wantedHost(other).desired];
  assert.notEqual(one, two);
  assert.equal(waveOf(one), waveOf(two));
  assert.equal(wantedHost({ ...ordinary, access: { ...access, user: 'admin' } }).desired.slice(0, 16), waveOf(one));
  assert.ok(one.length <= 128);
});

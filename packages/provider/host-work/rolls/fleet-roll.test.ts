import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds, type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { fakeClock } from '@minifleet/clock/testing';
import type { FleetSpec } from '@minifleet/host';
import { type KubeObject, namespaces, patching } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import { memoryVendor } from '@minifleet/vendors/testing';
import type { Claims } from '../../claims/claims.ts';
import type { PhaseEnd } from '../../machines/phase.ts';
import { bootstrapHost } from '../../machines/phases/bootstrap-host.ts';
import { fakeParts } from '../../machines/testing/fake-parts.ts';
import { fakeWork } from '../../machines/testing/fake-work.ts';
import { machineNamed } from '../testing/machine.ts';
import { scopeOf } from '../testing/scope.ts';
import { wantedHost } from '../wanted-spec.ts';

const { resource } = scalewayAppleSiliconMachine;
const OLD: FleetSpec = { guestLeaseSeconds: 300 };
const NEW: FleetSpec = { guestLeaseSeconds: 400 };
const access = { user: 'm1', passwordRejected: false };

/** Machines of one fleet that serve with the old plan, while the new one is wanted. */
async function fleetOf(names: readonly string[], maxUnavailable: number) {
  const clock = fakeClock();
  const api = createMemoryApi({ clock, crds: kinds.map(kind => kind.crd() as unknown as KubeObject) });
  const { client } = api;
  await client.create(namespaces, { metadata: { name: 'fleet' } });
  const vendor = memoryVendor();
  const work = fakeWork();
  const parts = {
    ...fakeParts([]),
    ...{ client, clock, work, claims: {} as Claims },
    events: { record: () => undefined, flush: async () => undefined },
    vendors: { for: async () => vendor, all: () => [vendor] },
  };
  const settings = { ...parts.settings, fleet: NEW, rolls: { ...parts.settings.rolls, maxUnavailable } };
  const write = (name: string, status: object) =>
    client.patch(
      resource,
      { namespace: 'fleet', name },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  const planOf = (name: string, fleet: FleetSpec): string =>
    wantedHost({ samm: machineNamed(name), fleet, access }).desired;
  const ready = (status: 'True' | 'False') => [
    { type: 'NodeReady', status, reason: 'NodeReady', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
  ];
  for (const name of names) {
    const { metadata, spec } = machineNamed(name);
    await client.create(resource, { metadata, spec });
    const plan = { desired: planOf(name, OLD), applied: planOf(name, OLD), appliedTime: '2030-01-01T00:00:00Z' };
    await write(name, { plan, conditions: ready('True') });
  }
  let seen: readonly ScalewayAppleSiliconMachine[] | undefined;
  const machines = { by: () => [...(seen ?? [])] };
  const over = async (name: string): Promise<void> =>
    work.forget((await client.get(resource, { namespace: 'fleet', name })).metadata.uid ?? '');
  return {
    /** Who began, in order. */
    begun: () => work.requests.map(({ scope }) => scope.samm.metadata.name),
    async pass(name: string): Promise<PhaseEnd> {
      const object = await client.get(resource, { namespace: 'fleet', name });
      return patching({ client }, { resource, object }, samm =>
        bootstrapHost.run(scopeOf(samm, { access }), { ...parts, settings, ...(seen ? { machines } : {}) }),
      );
    },
    /** From now on a watch has shown the machines as they are at this moment, and nothing since. */
    async watch() {
      seen = (await client.list(resource, { namespace: 'fleet' })).items;
    },
    /** How often all machines were read by a pass. */
    async listsOf(act: () => Promise<unknown>): Promise<number> {
      const before = api.requests.length;
      await act();
      const list = `/namespaces/fleet/${resource.plural}`;
      return api.requests.slice(before).filter(({ method, path }) => method === 'GET' && path.endsWith(list)).length;
    },
    /** The job of this host ended well, and is written down. */
    async hold(name: string, node: 'True' | 'False' = 'True') {
      await over(name);
      await write(name, { job: null, steps: [], plan: { applied: planOf(name, NEW) }, conditions: ready(node) });
    },
    async fail(name: string) {
      await over(name);
      await write(name, { job: null, steps: [], plan: { failed: planOf(name, NEW) } });
    },
  };
}

const NAMES = ['a', 'b', 'c', 'd'];

for (const maxUnavailable of [1, 3]) {
  test(`of a whole fleet that is looked at in the same moment one host goes first, also with ${maxUnavailable} allowed`, async () => {
    const fleet = await fleetOf(NAMES, maxUnavailable);
    const ends = await Promise.all(NAMES.map(name => fleet.pass(name)));
    assert.equal(fleet.begun().length, 1, fleet.begun().join());
    assert.deepEqual(new Set(ends.map(({ kind }) => kind)), new Set(['passed']));
    await Promise.all(NAMES.map(name => fleet.pass(name)));
    assert.equal(fleet.begun().length, 1);
  });
}

test('the others follow only when the first holds the plan and its Node is Ready, and no more than allowed', async () => {
  const fleet = await fleetOf(NAMES, 2);
  for (const name of NAMES) await fleet.pass(name);
  assert.deepEqual(fleet.begun(), ['a']);
  await fleet.hold('a', 'False');
  for (const name of ['b', 'c', 'd']) assert.match((await fleet.pass(name)).message ?? '', /a is updated first/);
  await fleet.hold('a');
  await Promise.all(['b', 'c', 'd'].map(name => fleet.pass(name)));
  assert.equal(fleet.begun().length, 3);
  const [, second = '', third = ''] = fleet.begun();
  const last = NAMES.find(name => !fleet.begun().includes(name)) ?? '';
  assert.match((await fleet.pass(last)).message ?? '', /waiting for .* to become Ready/);
  await fleet.hold(second);
  await fleet.hold(third);
  await fleet.pass(last);
  assert.equal(fleet.begun().length, 4);
});

test('one that fails the plan halts the roll, and every host that waits says which', async () => {
  const fleet = await fleetOf(NAMES, 2);
  await fleet.pass('a');
  await fleet.fail('a');
  for (const name of ['b', 'c', 'd']) {
    const end = await fleet.pass(name);
    assert.deepEqual([end.kind, end.reason], ['passed', 'PlanOutdated']);
    assert.match(end.message ?? '', /rollout halted: a failed with this plan/);
  }
  assert.deepEqual(fleet.begun(), ['a']);
});

test('hosts that wait for their turn read no fleet while the watch shows why; who may go reads it afresh', async () => {
  const fleet = await fleetOf(NAMES, 1);
  await fleet.pass('a');
  await fleet.watch();
  const waiting = async () => {
    for (const name of ['b', 'c', 'd']) assert.match((await fleet.pass(name)).message ?? '', /a is updated first/);
  };
  assert.equal(await fleet.listsOf(waiting), 0);
  await fleet.hold('a');
  await fleet.watch();
  assert.equal(await fleet.listsOf(() => fleet.pass('b')), 1);
  assert.deepEqual(fleet.begun(), ['a', 'b']);
});

test('a watch that is behind lets nobody go: the fleet is read afresh before', async () => {
  const fleet = await fleetOf(NAMES, 1);
  await fleet.pass('a');
  await fleet.hold('a');
  await fleet.watch();
  await fleet.fail('c');
  assert.match((await fleet.pass('b')).message ?? '', /halted: c failed/);
  assert.deepEqual(fleet.begun(), ['a']);
});

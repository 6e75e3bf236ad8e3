import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type MacHost, macHost, scalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { findCondition, isConditionTrue, type Log, secrets, silentLog } from '@minifleet/kube';
import { memoryId } from '@minifleet/vendors/testing';
import type { FleetWorld } from '../program/testing/fleet-world.ts';
import { interceptApi } from '../program/testing/intercept-api.ts';
import { createProgramRun, type EffectHook } from '../program/testing/program-run.ts';
import { startProvider } from '../program/testing/start-provider.ts';
import { convertHostClaims } from './convert-host-claims.ts';
import { hostClaims } from './host-claim.ts';
import { worldWithHostClaims } from './testing/world-with-host-claims.ts';

const machines = scalewayAppleSiliconMachine.resource;
const settings = { defaultPoolPrefix: 'tuist-pool-' };

const conditionText = ({ metadata, status }: MacHost): string =>
  `${metadata.name} ${findCondition({ metadata, status: status ?? {} }, 'Ready')?.message}`;
const hostIn = ({ api }: FleetWorld, number: number): Promise<MacHost | undefined> =>
  api.client.find(macHost.resource, { name: memoryId(number) });
const claimIn = ({ api }: FleetWorld, number: number) => api.client.find(hostClaims, { name: memoryId(number) });
const claimsIn = async ({ api }: FleetWorld) => (await api.client.list(hostClaims)).items;

interface ConvertOptions {
  readonly onEffect?: EffectHook;
  readonly log?: Log;
  readonly hasVendor?: boolean;
}

/** Converts in a process of its own. Returns its effects, and its error if it failed. */
async function convert(world: FleetWorld, { onEffect, log = silentLog, hasVendor = true }: ConvertOptions = {}) {
  const run = createProgramRun(world.clock, onEffect);
  const client = interceptApi(world.api, world.account.client, run);
  const ended = convertHostClaims({ client, clock: run.clock, log, settings, hasVendor });
  const killed = new Promise<void>(resolve => run.onKill(resolve));
  let over = false;
  const result = Promise.race([ended, killed]).then(
    () => undefined,
    (error: unknown) => error,
  );
  void result.then(() => {
    over = true;
  });
  // The client waits before it repeats a request.
  while (!over) await world.clock.advance(seconds(1));
  return { effects: run.effects, error: await result };
}

/** MacHosts and Secrets without what differs between two runs. */
async function resultOf({ api }: FleetWorld) {
  const hosts = (await api.client.list(macHost.resource)).items;
  const credentials = (await api.client.list(secrets, { namespace: 'fleet' })).items;
  return {
    hosts: hosts.map(({ metadata: { name, labels, annotations, finalizers = [] }, spec, status }) => ({
      ...{ name, labels, annotations, finalizers, spec, status },
    })),
    secrets: credentials.map(({ metadata, data }) => ({ name: metadata.name, data })),
  };
}

describe('conversion of HostClaims', () => {
  test('every HostClaim becomes a MacHost with its hold, records and progress, and is deleted', async () => {
    const world = await worldWithHostClaims();
    const before = await claimsIn(world);
    await convert(world);
    assert.equal((await claimsIn(world)).length, 0);
    const [one, three, four, five, six] = await Promise.all([1, 3, 4, 5, 6].map(number => hostIn(world, number)));
    assert.equal(await hostIn(world, 2), undefined, 'a free server had no HostClaim; discovery creates its MacHost');
    assert.deepEqual(
      [one, three, four, five, six].map(host => host?.spec.claimEpoch),
      before.map(({ spec }) => spec.claimEpoch),
    );

    const { metadata } = await world.api.client.get(machines, { namespace: 'fleet', name: 'a' });
    assert.equal(one?.spec.consumerRef?.uid, metadata.uid);
    assert.equal(one?.spec.clusterID, world.clusterId);
    assert.equal(one?.spec.originalName, 'tuist-pool-1');
    assert.equal(one?.spec.desired?.nodeName, 'a');
    assert.equal(one?.spec.desired?.providerID, `scw-applesilicon://fr-par-1/${memoryId(1)}`);
    assert.equal(one?.status?.servedSince, one?.status?.plan?.appliedTime);
    assert.equal(one?.status?.plan?.applied, one?.status?.plan?.desired);

    assert.equal(three?.spec.consumerRef, undefined);
    assert.match(three?.status?.quarantine?.reasons?.join() ?? '', /HostStayedUnreachable/);
    assert.equal(three?.status?.failures?.[0]?.count, 1);

    assert.equal(four?.spec.consumerRef?.name, 'b');
    assert.equal(four?.status?.contact?.attempts, 1);
    assert.ok(four?.status?.remedies?.restart?.acceptedTime, 'the restart is recorded');
    assert.ok(four?.status?.steps?.every(({ name }) => !name.startsWith('(')));

    assert.equal(five?.spec.consumerRef?.name, 'c');
    assert.equal(five?.status?.servedSince, undefined);
    assert.equal(five?.status?.currentStep, 'agent-job');
    assert.equal(six?.spec.quarantine?.reason, 'display cable');
  });

  test('the credentials of a held host are copied, and the Secret of its machine stays for a rollback', async () => {
    const world = await worldWithHostClaims();
    await convert(world);
    for (const [machine, number] of [
      ['a', 1],
      ['b', 4],
      ['c', 5],
    ] as const) {
      const old = await world.api.client.get(secrets, { namespace: 'fleet', name: `${machine}-bootstrap` });
      const key = { namespace: 'fleet', name: `${memoryId(number)}-credentials` };
      const { data, metadata } = await world.api.client.get(secrets, key);
      assert.deepEqual(data, old.data, machine);
      assert.equal(metadata.ownerReferences?.[0]?.uid, (await hostIn(world, number))?.metadata.uid);
    }
  });

  test('a second conversion changes nothing', async () => {
    const world = await worldWithHostClaims();
    await convert(world);
    assert.deepEqual(await convert(world), { effects: [], error: undefined });
  });

  test('a conversion that is killed or fails at any write is completed by the next one with the same result', async () => {
    const reference = await worldWithHostClaims();
    const { effects } = await convert(reference);
    const expected = await resultOf(reference);
    assert.ok(effects.length >= 5 * 3, `${effects.length} effects`);
    for (const { name, nth } of effects) {
      for (const fault of ['killed before', 'killed after', 'rejected', 'response lost'] as const) {
        const world = await worldWithHostClaims();
        const onEffect: EffectHook = effect => (effect.name === name && effect.nth === nth ? fault : undefined);
        await convert(world, { onEffect });
        assert.equal((await convert(world)).error, undefined);
        assert.deepEqual(await resultOf(world), expected, `${fault} ${name} ${nth}`);
        assert.equal((await claimsIn(world)).length, 0);
      }
    }
  });

  test('a HostClaim that an older provider releases during the conversion becomes a free MacHost', async () => {
    const world = await worldWithHostClaims();
    let written = false;
    const release = async (): Promise<void> => {
      const spec = { machineRef: null, clusterID: null };
      await world.api.client.patch(hostClaims, { name: memoryId(1) }, { type: 'merge', body: { spec } });
    };
    await convert(world, {
      onEffect({ name }) {
        if (written || !name.startsWith('create secrets')) return undefined;
        written = true;
        return { until: release() };
      },
    });
    assert.ok(written);
    const host = await hostIn(world, 1);
    assert.equal(host?.spec.consumerRef, undefined);
    assert.equal(host?.spec.clusterID, undefined);
    assert.deepEqual(host?.metadata.finalizers ?? [], []);
    assert.equal((await claimsIn(world)).length, 0);
  });

  test('a HostClaim whose MacHost another machine holds stays, and the log names both next actions', async () => {
    const world = await worldWithHostClaims();
    await convert(world);
    const host = await hostIn(world, 1);
    const machineRef = { namespace: 'fleet', name: 'z', uid: 'z' };
    const claim = { metadata: { name: memoryId(1) }, spec: { zone: 'fr-par-1', claimEpoch: 1, machineRef } };
    await world.api.client.create(hostClaims, claim);
    const warnings: string[] = [];
    await convert(world, {
      log: { ...silentLog, warn: (_fields: object, message: string) => void warnings.push(message) },
    });
    assert.match(warnings.join(), /another machine holds the MacHost; delete one of the machines/);
    assert.ok(await claimIn(world, 1));
    assert.deepEqual((await hostIn(world, 1))?.spec, host?.spec);
  });

  test('without a vendor no HostClaim is converted, because it has no address of the Mac', async () => {
    const world = await worldWithHostClaims();
    assert.deepEqual((await convert(world, { hasVendor: false })).effects, []);
    assert.equal((await claimsIn(world)).length, 5);
  });
});

test('a provider that starts on the objects of the version with HostClaims continues where it stopped', async () => {
  const world = await worldWithHostClaims();
  // Installed first, as in the recording, so that it has the host key that is pinned there.
  const guest = world.macs.startGuest(memoryId(1));
  world.macs.unplug(memoryId(4));
  const calls = () => world.vendor.calls.filter(({ call }) => ['rename', 'reinstall', 'reboot'].includes(call));
  startProvider(world, {
    flags: ['--bootstrap-reboot-after=1', '--bootstrap-max-attempts=2'],
    // Defaults at the time of the recording: the plan of a host in service is still applied, and nothing is done on it.
    agentSettings: { hostCpu: 8, hostMemoryMb: 16_384 },
  });
  const until = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
    for (let pass = 0; pass < 600; pass++) {
      if (await condition()) return;
      await world.pass();
    }
    const { items } = await world.api.client.list(macHost.resource);
    assert.fail(`timed out: ${what}; ${items.map(host => conditionText(host)).join('\n')}`);
  };
  const stateOf = async (number: number) => (await hostIn(world, number))?.status?.state;
  await until('the HostClaims are converted', async () => (await claimsIn(world)).length === 0);
  assert.deepEqual(calls(), [], 'the conversion changes nothing at the vendor');
  await until('a serves', async () => (await stateOf(1)) === 'Serving');
  await until('c serves', async () => (await stateOf(5)) === 'Serving');
  await until('b gave up server 4', async () => (await hostIn(world, 4))?.spec.consumerRef === undefined);
  await until('b claims server 2', async () => (await hostIn(world, 2))?.spec.consumerRef?.name === 'b');
  await until('b serves', async () => (await stateOf(2)) === 'Serving');
  for (const name of ['a', 'b', 'c']) {
    const ready = async () =>
      isConditionTrue(await world.api.client.get(machines, { namespace: 'fleet', name }), 'Ready');
    await until(`${name} is Ready`, ready);
  }
  await world.pass(minutes(10));
  assert.equal(
    calls().some(({ call }) => call === 'reboot'),
    false,
    'the one restart of server 4 is not repeated',
  );
  assert.equal(await stateOf(3), 'Quarantined');
  assert.equal(await stateOf(6), 'Quarantined');
  assert.equal((await hostIn(world, 1))?.spec.claimEpoch, 1);
  assert.deepEqual([guest.running, world.vendor.find(memoryId(1)).name], [true, 'a']);
});

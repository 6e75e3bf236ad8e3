import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Condition, macHost, macMachine, names, scalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { namespaces } from '@minifleet/kube';
import { createMemoryApi } from '@minifleet/kube/testing';
import { machineDeployments } from '../cluster-api/kinds.ts';
import { deploymentNamed, fleetMachine } from '../observe/testing/fleet-machine.ts';
import { parseGateFlags } from './run-gate.ts';
import { waitForFleets } from './wait-for-fleets.ts';

const machines = scalewayAppleSiliconMachine.resource;
const at = { namespace: 'fleet', name: 'runners' };
const UNCLAIMED = 'HostClaimed NoHostAvailable: the pool mini- is empty';
const said = (type: string, status: Condition['status'], message = ''): Condition => ({
  ...{ type, status, reason: type, message, lastTransitionTime: '2030-01-01T00:00:00Z' },
});

/** A fleet `runners` of two Macs, and the gate that waits for it. */
async function waiting(argv: readonly string[] = []) {
  const clock = fakeClock();
  const api = createMemoryApi({
    clock,
    crds: [scalewayAppleSiliconMachine.crd(), macMachine.crd(), macHost.crd()],
    resources: [machineDeployments],
  });
  await api.client.create(namespaces, { metadata: { name: 'fleet' } });
  await api.client.create(machineDeployments, deploymentNamed('runners', 2));
  for (const name of ['mac-a', 'mac-b']) {
    await api.client.create(machines, { ...fleetMachine(name, { fleet: 'runners' }), status: {} });
  }
  const status = async (resource: typeof machines | typeof machineDeployments, name: string, body: object) => {
    const patch = { type: 'merge', body: { status: body } } as const;
    await api.client.patch(resource as typeof machines, { namespace: 'fleet', name }, patch, { subresource: 'status' });
  };
  const reported: string[] = [];
  const output = { write: (text: string) => reported.push(...text.split('\n').filter(Boolean)) };
  const stop = new AbortController();
  const flags = parseGateFlags(['--fleets=runners', '--namespace=fleet', '--timeout=10m', ...argv]);
  const ended = waitForFleets(flags, { client: api.client, clock, output, signal: stop.signal }).then(
    () => 'well',
    (error: Error) => error.message,
  );
  /** Lines that were printed since the last call. */
  const news = async (): Promise<string[]> => {
    await clock.advance(seconds(3));
    return reported.splice(0);
  };
  /** Creates the host of a machine and returns a function that writes its status. */
  const claimedHost = async (machine: string) => {
    const name = `host-of-${machine}`;
    const owned = { address: '192.0.2.11', user: 'admin' };
    await api.client.create(macHost.resource, {
      metadata: { name },
      spec: { source: { owned }, pool: 'desk' } as never,
    });
    const claim = { type: 'merge', body: { spec: { claimRef: { name, epoch: 1 } } } } as const;
    await api.client.patch(machines, { namespace: 'fleet', name: machine }, claim);
    return async (body: object) => {
      const patch = { type: 'merge', body: { status: body } } as const;
      await api.client.patch(macHost.resource, { name }, patch, { subresource: 'status' });
    };
  };
  return { api, clock, status, ended, news, stop, claimedHost };
}

test('the gate prints changes of each Mac and exits with success when the fleet is Available', async () => {
  const gate = await waiting();
  const unseen = 'no status yet; check that the provider is running';
  assert.deepEqual(await gate.news(), [
    'runners: not Available, 0 of 2 Macs',
    `  mac-a: ${unseen}`,
    `  mac-b: ${unseen}`,
  ]);
  await gate.status(machines, 'mac-a', { conditions: [said('Ready', 'True')] });
  await gate.status(machines, 'mac-b', { conditions: [said('Ready', 'False', UNCLAIMED)] });
  await gate.status(machineDeployments, 'runners', { availableReplicas: 1 });
  assert.deepEqual(await gate.news(), ['runners: not Available, 1 of 2 Macs', `  mac-b: ${UNCLAIMED}`]);
  const still = UNCLAIMED.replace('is empty', 'is empty for 2m');
  await gate.status(machines, 'mac-b', { conditions: [said('Ready', 'False', still)] });
  assert.deepEqual(await gate.news(), [], 'it waits for the same thing');
  await gate.status(machineDeployments, 'runners', { availableReplicas: 2, conditions: [said('Available', 'True')] });
  assert.deepEqual(await gate.news(), ['runners: Available, 2 of 2 Macs']);
  assert.equal(await gate.ended, 'well');
});

test('the gate prints owned Macs of a fleet like rented ones', async () => {
  const gate = await waiting();
  await gate.api.client.create(macMachine.resource, {
    metadata: { ...at, name: 'mini-01', labels: { [names.clusterApi.deploymentNameLabel]: 'runners' } },
    spec: { pool: 'desk' } as never,
  });
  assert.ok((await gate.news()).includes('  mini-01: no status yet; check that the provider is running'));
  gate.stop.abort();
  await gate.ended;
});

test('after the timeout the gate prints which Mac blocks which fleet, and fails', async () => {
  const gate = await waiting();
  await gate.status(machines, 'mac-b', { conditions: [said('Ready', 'False', UNCLAIMED)] });
  await gate.status(machines, 'mac-a', { conditions: [said('Ready', 'True')] });
  await gate.news();
  await gate.clock.advance(minutes(10));
  assert.deepEqual(await gate.news(), ['runners: not Available, 0 of 2 Macs', `  mac-b: ${UNCLAIMED}`]);
  assert.match(
    await gate.ended,
    /^fleet runners is not Available after 10m, .* minifleet explain fleet\/runners -n fleet/,
  );
});

test('the gate does not fail while Macs make progress, and prints their state and step', async () => {
  const gate = await waiting(['--timeout=4h', '--progress-timeout=20m']);
  const host = await gate.claimedHost('mac-a');
  await gate.news();
  const steps: object[] = [];
  for (const name of ['sudo', 'auto-login', 'tart']) {
    await host({ state: 'Bootstrapping', currentStep: name, steps });
    const [line = ''] = (await gate.news()).filter(each => each.includes('mac-a'));
    assert.match(line, new RegExp(`^  mac-a \\(Bootstrapping, step ${name}\\): `));
    await gate.clock.advance(minutes(15));
    steps.push({ name, state: 'Done', lastTransitionTime: '2030-01-01T00:00:00Z' });
  }
  await gate.news();
  await gate.clock.advance(minutes(30));
  assert.match(await gate.ended, /^fleet runners is not Available after 20m without progress, /);
});

test('a step that is retried without success is no progress for the gate', async () => {
  const gate = await waiting(['--timeout=4h', '--progress-timeout=20m']);
  const host = await gate.claimedHost('mac-a');
  const step = (state: string) => ({ name: 'tart', state, lastTransitionTime: '2030-01-01T00:00:00Z' });
  for (const state of ['Running', 'Waiting', 'Running', 'Waiting']) {
    await host({ state: 'Bootstrapping', currentStep: 'tart', steps: [step(state)] });
    await gate.clock.advance(minutes(6));
  }
  assert.match(await gate.ended, /after 20m without progress/);
});

test('the gate waits for two hours while the vendor reinstalls a Mac, and reports the wait', async () => {
  const gate = await waiting(['--timeout=4h', '--progress-timeout=20m']);
  const host = await gate.claimedHost('mac-a');
  await host({ state: 'Bootstrapping', vendorState: 'Busy' });
  const lines = await gate.news();
  assert.ok(
    lines.some(line => line.startsWith('  mac-a (Bootstrapping, busy at the vendor): ')),
    lines.join(),
  );
  await gate.clock.advance(minutes(61));
  gate.api.faults.failNext({ match: { path: /machinedeployments/ }, status: 403, message: 'no right to', times: 1 });
  const stalls = (await gate.news()).filter(line => line.startsWith('no progress'));
  assert.equal(stalls.at(-1), 'no progress for 1h; the gate fails after 2h without progress');
  assert.ok((await gate.news()).length > 0, 'it continues after a failed request');
  await host({ state: 'Bootstrapping', vendorState: 'Ready' });
  await gate.clock.advance(minutes(19));
  await gate.status(machineDeployments, 'runners', { availableReplicas: 2, conditions: [said('Available', 'True')] });
  await gate.news();
  assert.equal(await gate.ended, 'well');
});

test('the gate fails after its timeout even if Macs make progress', async () => {
  const gate = await waiting(['--timeout=30m', '--progress-timeout=20m']);
  const host = await gate.claimedHost('mac-a');
  for (const state of ['Claimed', 'Bootstrapping', 'Reinstalling', 'Restarting']) {
    await host({ state });
    await gate.clock.advance(minutes(8));
  }
  assert.match(await gate.ended, /^fleet runners is not Available after 30m, /);
});

test('the gate ignores conditions of an earlier generation', async () => {
  const gate = await waiting();
  const { metadata } = await gate.api.client.get(machineDeployments, at);
  const available = { ...said('Available', 'True'), observedGeneration: metadata.generation ?? 0 };
  const patch = { type: 'merge', body: { spec: { replicas: 3 } } } as const;
  await gate.api.client.patch(machineDeployments, at, patch);
  await gate.status(machineDeployments, 'runners', { conditions: [available] });
  assert.match((await gate.news()).join(), /runners: not Available, 0 of 3 Macs/);
  gate.stop.abort();
  await gate.ended;
});

test('the gate reports a missing MachineDeployment and waits for it', async () => {
  const gate = await waiting(['--fleets=runners,macos']);
  assert.ok((await gate.news()).includes('macos: the MachineDeployment does not exist'));
  await gate.clock.advance(minutes(10));
  assert.match(await gate.ended, /^fleets runners, macos are not Available after 10m/);
});

test('the gate reports an unavailable API server once and retries', async () => {
  const gate = await waiting();
  await gate.news();
  gate.api.faults.failNext({ match: { path: /machinedeployments/ }, status: 403, message: 'no right to', times: 2 });
  assert.match((await gate.news()).join(), /^the fleets cannot be read: .*no right to/);
  assert.deepEqual(await gate.news(), []);
  assert.equal((await gate.news()).length, 3, 'all lines are printed again');
  gate.stop.abort();
  await gate.ended;
});

for (const [argv, words] of [
  [[], /--fleets names no MachineDeployment to wait for/],
  [['--fleets=a', '--timeout=soon'], /--timeout soon is not a duration such as 90s, 30m or 1h/],
] as const) {
  test(`${argv.join(' ') || 'no flag'} is rejected by the gate with a hint and a reference to --help`, () => {
    assert.throws(() => parseGateFlags(argv), { code: 'GATE_FLAG_WRONG', message: words });
    assert.throws(() => parseGateFlags(argv), /wait-for-fleets --help/);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Condition, macMachine, names, scalewayAppleSiliconMachine } from '@minifleet/api';
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
    crds: [scalewayAppleSiliconMachine.crd(), macMachine.crd()],
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
  return { api, clock, status, ended, news, stop };
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

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { HostStep, MacHost } from '@minifleet/api';
import type { ConditionNote } from '@minifleet/kube';
import { machines } from '../cluster/resources.ts';
import { type FleetCluster, fleetCluster, hostId } from '../testing/fleet-cluster.ts';

const at = '2030-01-01T00:00:00Z';
const step = (name: string, state: HostStep['state'], message = ''): HostStep => ({
  name,
  state,
  ...(message === '' ? {} : { message }),
  lastTransitionTime: at,
});
const bootstrapped = (status: 'True' | 'False', reason: string, message = ''): ConditionNote => ({
  type: 'HostBootstrapped',
  status,
  reason,
  message,
});
const done = bootstrapped('True', 'HostBootstrapped');
const current = { plan: { desired: 'aaaaaaaaaaaa', applied: 'aaaaaaaaaaaa' } };
const outdated = { plan: { desired: 'bbbbbbbbbbbb', applied: 'aaaaaaaaaaaa' } };

let cluster: FleetCluster;
beforeEach(async () => {
  cluster = await fleetCluster();
});

const withHost = (name: string, n: number) =>
  cluster.machine(name, { fleet: 'runners', spec: { fleetName: 'ci', claimRef: { name: hostId(n), epoch: 1 } } });

/** Writes what the provider writes: the progress into the MacHost, and its condition also into the machine. */
async function observed(
  name: string,
  n: number,
  status: NonNullable<MacHost['status']>,
  notes: readonly ConditionNote[],
): Promise<void> {
  await cluster.hostStatus(
    hostId(n),
    status,
    notes.filter(({ type }) => type === 'HostBootstrapped'),
  );
  await cluster.status(name, {}, notes);
}

describe('minifleet plan --fleet', () => {
  test('plan --fleet finds an up-to-date fleet by MachineDeployment or fleetName', async () => {
    await withHost('runners-a', 1);
    await observed('runners-a', 1, { ...current, steps: [step('tart', 'Done')] }, [done]);
    for (const fleet of ['runners', 'ci']) {
      const { code, output } = await cluster.run('plan', '--fleet', fleet);
      assert.equal(code, 0);
      assert.match(output, /all 1 hosts are up to date\n$/);
    }
  });

  test('plan --fleet shows the host that halted a rollout and the hosts that wait', async () => {
    await withHost('runners-a', 1);
    await withHost('runners-b', 2);
    await cluster.machine('runners-c', { fleet: 'runners' });
    const failed = {
      plan: { ...outdated.plan, failed: 'bbbbbbbbbbbb' },
      steps: [step('tart', 'Failed', 'no such file')],
    };
    await observed('runners-a', 1, failed, [bootstrapped('False', 'StepFailed', 'step tart: no such file')]);
    const waits = 'waiting: runners-a failed this plan';
    await observed('runners-b', 2, outdated, [bootstrapped('True', 'PlanOutdated', waits)]);
    const empty = { type: 'HostClaimed', status: 'False', reason: 'NoHostAvailable', message: 'no free host' } as const;
    await cluster.status('runners-c', {}, [empty]);
    const { code, output } = await cluster.run('plan', '--fleet', 'runners');
    assert.equal(code, 3);
    assert.equal(
      output,
      `MACHINE           HOST                                   STATE       PLAN                  DIFFERENCE
fleet/runners-a   8f14e45f-ceea-467f-a0e6-000000000001   ✗ failed    aaaaaaaa → bbbbbbbb   step tart: no such file
fleet/runners-b   8f14e45f-ceea-467f-a0e6-000000000002   ‖ waiting   aaaaaaaa → bbbbbbbb   waiting: runners-a failed this plan
fleet/runners-c                                          · no host   none                  no free host

3 of 3 hosts differ: 1 failed, 1 waiting, 1 no host; the rollout is halted until fleet/runners-a can apply the plan or the plan changes
`,
    );
  });

  const job = { id: 'j', startTime: at, deadlineTime: at };
  const table: readonly (readonly [string, NonNullable<MacHost['status']>, ConditionNote, number])[] = [
    [
      'drift',
      { ...current, steps: [step('pf-anchor', 'Waiting', 'two blocks')] },
      bootstrapped('False', 'DriftFound', 'pf-anchor: two blocks'),
      3,
    ],
    ['in progress', { ...outdated, job }, bootstrapped('True', 'BootstrapRunning', 'step tart'), 3],
    ['in progress', {}, bootstrapped('False', 'BootstrapRunning', 'position 3 in the queue'), 3],
    ['blocked', current, bootstrapped('False', 'HostUnreachable', 'connection timed out'), 3],
    ['reboot pending', { ...current, steps: [step('local-network', 'Waiting', 'after the next boot')] }, done, 3],
    ['current', current, { type: 'HostBootstrapped', status: 'True', reason: 'HostBootstrapped' }, 0],
  ];
  for (const [state, status, note, code] of table) {
    test(`plan state is "${state}" for ${note.reason} ${note.message ?? ''}`, async () => {
      await withHost('runners-a', 1);
      await observed('runners-a', 1, status, [note]);
      const run = await cluster.run('plan', '--fleet', 'runners', '-o', 'json');
      const { hosts } = JSON.parse(run.output) as { hosts: { state: string }[] };
      assert.deepEqual([hosts.map(host => host.state), run.code], [[state], code]);
    });
  }

  test('plan --fleet shows a paused machine as current if it has its plan, else as paused', async () => {
    await withHost('runners-a', 1);
    await withHost('runners-b', 2);
    const paused: ConditionNote = {
      type: 'Paused',
      status: 'True',
      reason: 'Paused',
      message: 'Cluster mac is paused',
    };
    await observed('runners-a', 1, current, [done, paused]);
    await observed('runners-b', 2, outdated, [done, paused]);
    const { output } = await cluster.run('plan', '--fleet', 'runners');
    assert.match(output, /runners-a.*✓ current/);
    assert.match(output, /runners-b.*‖ paused.*Cluster mac is paused/);
  });

  test('plan --fleet prints steps with the same cause in one line', async () => {
    await withHost('runners-a', 1);
    const steps = ['sudo', 'auto-login', 'tart'].map(name => step(name, 'Waiting', 'sudo needs a password'));
    await observed('runners-a', 1, { ...current, steps }, [
      bootstrapped('False', 'DriftFound', 'the host has drifted'),
    ]);
    const { output } = await cluster.run('plan', '--fleet', 'runners');
    assert.match(output, /the host has drifted\n +sudo, auto-login, tart: sudo needs a password\n\n/);
  });

  test('plan --fleet does not count a machine that is being deleted', async () => {
    await withHost('runners-a', 1);
    await cluster.client.delete(machines, { namespace: 'fleet', name: 'runners-a' });
    const { code, output } = await cluster.run('plan', '--fleet', 'runners');
    assert.equal(code, 0);
    assert.match(output, /· deleting/);
  });

  test('plan refuses an unknown fleet and a missing --fleet', async () => {
    await withHost('runners-a', 1);
    const { code, errors } = await cluster.run('plan', '--fleet', 'macos', '-n', 'fleet');
    assert.equal(code, 1);
    assert.match(errors, /fleet macos not found in fleet .*; existing fleets: ci, runners \(FLEET_NOT_FOUND\)/);
    assert.equal((await cluster.run('plan')).code, 2);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExternalControlPlane, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { HOST_BUSY } from '@minifleet/host';
import { memoryVendor } from '@minifleet/vendors/testing';
import type { Job, JobState } from '../host-work/host-work.ts';
import type { SweepReport } from '../sweep/sweep-report.ts';
import { countedVendor } from './counted-vendor.ts';
import { createProviderMetrics, type ProviderMetricSources, type ProviderMetrics } from './provider-metrics.ts';
import { deploymentNamed, fleetMachine } from './testing/fleet-machine.ts';

const shown = async ({ kube }: ProviderMetrics, name: string): Promise<string[]> =>
  (await kube.registry.metrics()).split('\n').filter(line => line.startsWith(`minifleet_${name}`));

const nothing: ProviderMetricSources = {
  machines: () => [],
  deployments: () => [],
  controlPlanes: () => [],
  work: { running: 0, queued: 0 },
};

test('a machine has one series of its phase: the old one goes with the transition, the last with the machine', async () => {
  const metrics = createProviderMetrics(fakeClock());
  let machines: ScalewayAppleSiliconMachine[] = [fleetMachine('a', { fleet: 'runners' })];
  metrics.follow({ ...nothing, machines: () => machines });
  const series = (phase: string, reason: string) =>
    `minifleet_machine_phase{namespace="fleet",machine="a",fleet="runners",phase="${phase}",reason="${reason}"} 1`;
  assert.deepEqual(await shown(metrics, 'machine_phase'), [series('ClusterReady', 'NotSeenYet')]);
  machines = [fleetMachine('a', { fleet: 'runners', ready: true })];
  assert.deepEqual(await shown(metrics, 'machine_phase'), [series('Ready', 'Ready')]);
  machines = [];
  assert.deepEqual(await shown(metrics, 'machine_phase'), []);
});

test('a fleet shows what it wants and has, and only fleets of Macs are shown', async () => {
  const metrics = createProviderMetrics(fakeClock());
  metrics.follow({
    ...nothing,
    machines: () => [fleetMachine('a', { fleet: 'runners', ready: true }), fleetMachine('b', { fleet: 'runners' })],
    deployments: () => [deploymentNamed('runners', 3), deploymentNamed('linux', 5, 'DevMachineTemplate')],
    work: { running: 2, queued: 7 },
  });
  assert.deepEqual(await shown(metrics, 'fleet_replicas'), [
    'minifleet_fleet_replicas{namespace="fleet",fleet="runners",state="desired"} 3',
    'minifleet_fleet_replicas{namespace="fleet",fleet="runners",state="ready"} 1',
  ]);
  assert.deepEqual(await shown(metrics, 'host_jobs'), [
    'minifleet_host_jobs{state="running"} 2',
    'minifleet_host_jobs{state="queued"} 7',
  ]);
});

test('a roll is halted by a serving host that failed the desired plan, not by an older failure', async () => {
  const metrics = createProviderMetrics(fakeClock());
  const plan = (failed: string) => ({ desired: 'new-1', applied: 'old-1', failed });
  let failed = 'new-1';
  metrics.follow({
    ...nothing,
    machines: () => [
      fleetMachine('a', { fleet: 'runners', plan: plan(failed) }),
      fleetMachine('b', { fleet: 'macos' }),
    ],
  });
  const series = (fleet: string, value: number) => `minifleet_roll_halted{namespace="fleet",fleet="${fleet}"} ${value}`;
  assert.deepEqual(await shown(metrics, 'roll_halted'), [series('runners', 1), series('macos', 0)]);
  failed = 'old-1';
  assert.deepEqual(await shown(metrics, 'roll_halted'), [series('runners', 0), series('macos', 0)]);
});

const swept: SweepReport = {
  at: 0,
  servers: { free: 0, claimed: 0, recorded: 0, pending: 0, foreign: 0 },
  claims: { held: 0, orphaned: 0, leftBehind: 0, elsewhere: 0, vanished: 0, unheld: 0 },
  hosts: [],
  returned: 0,
  letGo: 0,
  unseenZones: [],
};

test('a sweep reports pool hosts, orphaned hosts and its own timestamp', async () => {
  const metrics = createProviderMetrics(fakeClock({ now: 0 }));
  const host = { zone: 'fr-par-1', prefix: 'tuist-pool-' };
  metrics.swept({ ...swept, hosts: [{ ...host, id: '1', state: 'free' }] });
  metrics.swept({
    ...swept,
    at: 90_000,
    hosts: [
      { ...host, id: '1', state: 'claimed' },
      { ...host, id: '2', state: 'claimed' },
    ],
    claims: { ...swept.claims, orphaned: 3, leftBehind: 1 },
    returned: 2,
  });
  const pool = await shown(metrics, 'pool_hosts');
  assert.ok(pool.includes('minifleet_pool_hosts{zone="fr-par-1",prefix="tuist-pool-",state="free"} 0'));
  assert.ok(pool.includes('minifleet_pool_hosts{zone="fr-par-1",prefix="tuist-pool-",state="claimed"} 2'));
  assert.deepEqual(await shown(metrics, 'orphan_hosts'), [
    'minifleet_orphan_hosts{kind="orphaned"} 1',
    'minifleet_orphan_hosts{kind="left_behind"} 1',
    'minifleet_orphan_hosts_reclaimed_total 2',
  ]);
  assert.deepEqual(await shown(metrics, 'sweep'), ['minifleet_sweep_timestamp_seconds 90']);
});

test('I12 how long the vendor keeps a host from being given back falls to 0 and no further', async () => {
  const clock = fakeClock({ now: 0 });
  const metrics = createProviderMetrics(clock);
  const host = { zone: 'fr-par-1', prefix: 'p-', orderedAt: 0, returnableAt: 60_000 } as const;
  metrics.swept({
    ...swept,
    hosts: [
      { ...host, id: '1', state: 'free' },
      { ...host, id: '2', state: 'foreign' },
    ],
  });
  const left = (value: number) => [`minifleet_host_returnable_seconds{zone="fr-par-1",host="1"} ${value}`];
  await clock.advance(seconds(20));
  assert.deepEqual(await shown(metrics, 'host_returnable'), left(40));
  await clock.advance(minutes(2));
  assert.deepEqual(await shown(metrics, 'host_returnable'), left(0));
  assert.deepEqual(await shown(metrics, 'host_age'), ['minifleet_host_age_seconds{zone="fr-par-1",host="1"} 140']);
});

const ended = (state: JobState): Job => ({
  id: 'j',
  key: { name: 'a' },
  uid: 'u',
  kind: 'converge',
  plan: 'p',
  attempts: {},
  password: undefined,
  startedAt: 0,
  deadlineAt: 0,
  heartbeatAt: 0,
  state,
  entries: new Map(),
  last: undefined,
});

test('a run is counted by the step it failed at, or by none; one that was stopped did not fail', async () => {
  const metrics = createProviderMetrics(fakeClock());
  const step = { title: '', fingerprint: '', differences: [], disturbs: 'nothing', notes: [], attempts: 1 } as const;
  const error = HOST_BUSY({ holder: 'x' });
  const steps = [
    { ...step, id: 'tart', state: 'current', changed: true, durationMs: 2_000 },
    { ...step, id: 'sudo', state: 'current', changed: false, durationMs: 10 },
    { ...step, id: 'pf-anchor', state: 'failed', changed: false },
  ] as const;
  const report = { outcome: 'failed', steps, changes: 1, notes: [], attempts: {}, error } as const;
  metrics.jobEnded(ended({ kind: 'converged', report, hostKey: undefined, facts: { addresses: [] } }));
  metrics.jobEnded(ended({ kind: 'failed', error: new Error('somebody@10.0.0.1 said no'), hostKey: undefined }));
  metrics.jobEnded(ended({ kind: 'cancelled', why: 'deleted' }));
  assert.deepEqual(await shown(metrics, 'host_step_failures'), [
    'minifleet_host_step_failures_total{step="pf-anchor",reason="HostBusy"} 1',
    'minifleet_host_step_failures_total{step="(host)",reason="InternalError"} 1',
  ]);
  const sums = (await shown(metrics, 'host_step_seconds_sum')).join();
  assert.equal(sums, 'minifleet_host_step_seconds_sum{step="tart"} 2');
});

test('calls to a vendor are counted by outcome, and their answers and errors are passed on', async () => {
  const metrics = createProviderMetrics(fakeClock());
  const memory = memoryVendor({ servers: [{ name: 'tuist-pool-1' }] });
  const vendor = countedVendor(memory, metrics.vendorCalled);
  const [server] = await vendor.servers('fr-par-1');
  assert.equal(server?.name, 'tuist-pool-1');
  memory.failNext({ call: 'rename', when: 'before' });
  await assert.rejects(vendor.rename(server, 'x'));
  await assert.rejects(vendor.images('fr-par-1', 'M2-L', { signal: AbortSignal.abort() }));
  assert.deepEqual(await shown(metrics, 'vendor_requests'), [
    'minifleet_vendor_requests_total{vendor="memory",call="servers",outcome="ok"} 1',
    'minifleet_vendor_requests_total{vendor="memory",call="rename",outcome="VendorUnavailable"} 1',
    'minifleet_vendor_requests_total{vendor="memory",call="images",outcome="Aborted"} 1',
  ]);
});

test('I10 stuck Pods are counted by cause and fall back to 0', async () => {
  const metrics = createProviderMetrics(fakeClock());
  const none = { VMMayRun: 0, NodeNotReady: 0, ForeignNode: 0, OtherFinalizer: 0 };
  const series = (count: number) => `minifleet_pods_terminating{cause="NodeNotReady"} ${count}`;
  metrics.podsStuck({ stuck: { ...none, NodeNotReady: 504 } });
  assert.ok((await shown(metrics, 'pods_terminating')).includes(series(504)));
  metrics.podsStuck({ stuck: none });
  assert.ok((await shown(metrics, 'pods_terminating')).includes(series(0)));
});

test('I15 the end of core’s kubeconfig is shown as the control plane tells it, and no end where it tells none', async () => {
  const metrics = createProviderMetrics(fakeClock());
  const controlPlane = (name: string, kubeconfigExpirationTime?: string): ExternalControlPlane => ({
    ...{ apiVersion: '', kind: 'ExternalControlPlane', metadata: { namespace: 'fleet', name } },
    spec: { kubeconfigSource: 'Minted' },
    status: kubeconfigExpirationTime === undefined ? {} : { kubeconfigExpirationTime },
  });
  const controlPlanes = () => [controlPlane('macs', '1970-01-01T00:00:05Z'), controlPlane('provided')];
  metrics.follow({ ...nothing, controlPlanes });
  assert.deepEqual(await shown(metrics, 'kubeconfig'), [
    'minifleet_kubeconfig_expiry_timestamp_seconds{cluster="fleet/macs"} 5',
  ]);
});

test('GitHub calls are counted by outcome', async () => {
  const metrics = createProviderMetrics(fakeClock());
  metrics.forgeCalled({ forge: 'github', call: 'registrationToken', outcome: 'ForgeRefused' });
  assert.deepEqual(await shown(metrics, 'forge_requests'), [
    'minifleet_forge_requests_total{forge="github",call="registrationToken",outcome="ForgeRefused"} 1',
  ]);
});

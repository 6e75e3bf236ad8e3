import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExternalControlPlane, hostStates, type MacHost, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { minutes, seconds } from '@minifleet/clock';
import { fakeClock } from '@minifleet/clock/testing';
import { HOST_BUSY } from '@minifleet/host';
import { memoryServer, memoryVendor } from '@minifleet/vendors/testing';
import { hostNamed } from '../cluster-api/testing/host-named.ts';
import type { HostJob, HostJobState } from '../hosts/jobs/host-job.ts';
import { countedVendor } from './counted-vendor.ts';
import { createProviderMetrics, type ProviderMetricSources, type ProviderMetrics } from './provider-metrics.ts';
import { deploymentNamed, fleetMachine } from './testing/fleet-machine.ts';

const shown = async ({ kube }: ProviderMetrics, name: string): Promise<string[]> =>
  (await kube.registry.metrics()).split('\n').filter(line => line.startsWith(`minifleet_${name}`));

const nothing: ProviderMetricSources = {
  machines: () => [],
  hosts: () => [],
  deployments: () => [],
  controlPlanes: () => [],
  work: { running: 0, queued: 0 },
};

test('a machine has one series with its current phase, and none after its deletion', async () => {
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

test('a fleet of Macs has series for its desired and its Ready machines; other fleets have none', async () => {
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

test('a rollout is halted by a serving host that failed the desired plan, not by an older failure', async () => {
  const metrics = createProviderMetrics(fakeClock());
  const plan = (failed: string) => ({ desired: 'new-1', applied: 'old-1', failed });
  let failed = 'new-1';
  metrics.follow({
    ...nothing,
    machines: () => [fleetMachine('a', { fleet: 'runners' }), fleetMachine('b', { fleet: 'macos' })],
    hosts: () => [hostNamed('1', { machine: 'a', plan: plan(failed) }), hostNamed('2')],
  });
  const series = (fleet: string, value: number) => `minifleet_roll_halted{namespace="fleet",fleet="${fleet}"} ${value}`;
  assert.deepEqual(await shown(metrics, 'roll_halted'), [series('runners', 1), series('macos', 0)]);
  failed = 'old-1';
  assert.deepEqual(await shown(metrics, 'roll_halted'), [series('runners', 0), series('macos', 0)]);
});

test('MacHosts are counted by zone, pool and state, and a pool has a series for every state', async () => {
  const metrics = createProviderMetrics(fakeClock());
  let hosts: MacHost[] = [
    hostNamed('1'),
    hostNamed('2', { state: 'Serving' }),
    hostNamed('3', { state: 'Serving' }),
    hostNamed('mini-01', { owned: true, state: 'Missing' }),
  ];
  metrics.follow({ ...nothing, hosts: () => hosts });
  const lines = await shown(metrics, 'pool_hosts');
  const series = (zone: string, pool: string, state: string, value: number) =>
    `minifleet_pool_hosts{zone="${zone}",pool="${pool}",state="${state}"} ${value}`;
  assert.equal(lines.length, 2 * (Object.keys(hostStates).length + 2));
  for (const [state, value] of [
    ['Available', 1],
    ['Serving', 2],
    ['Missing', 0],
    ['Busy', 0],
    ['Broken', 0],
  ] as const)
    assert.ok(lines.includes(series('fr-par-1', 'tuist-pool-', state, value)), state);
  assert.ok(lines.includes(series('', 'desk', 'Missing', 1)));
  hosts = [];
  assert.deepEqual(await shown(metrics, 'pool_hosts'), []);
});

test('an Available MacHost that the vendor reports as Busy or Broken is counted as that, others by their state', async () => {
  const metrics = createProviderMetrics(fakeClock());
  const hosts = [
    hostNamed('1', { state: 'Available', vendorState: 'Busy' }),
    hostNamed('2', { vendorState: 'Broken' }),
    hostNamed('3', { state: 'Reinstalling', vendorState: 'Busy' }),
  ];
  metrics.follow({ ...nothing, hosts: () => hosts });
  const counted = (await shown(metrics, 'pool_hosts')).filter(line => !line.endsWith(' 0'));
  assert.deepEqual(
    counted.map(line => /state="(\w+)"} (\d+)/.exec(line)?.slice(1)),
    [
      ['Reinstalling', '1'],
      ['Busy', '1'],
      ['Broken', '1'],
    ],
  );
});

test('I22 MacHosts whose machine no longer exists are counted as orphans, and so are those returned to their pool', async () => {
  const metrics = createProviderMetrics(fakeClock());
  let hosts = [hostNamed('1', { state: 'Serving', orphan: true }), hostNamed('2', { state: 'Serving' })];
  metrics.follow({ ...nothing, hosts: () => hosts });
  const orphans = async (now: number, reclaimed: number) =>
    assert.deepEqual(await shown(metrics, 'orphan_hosts'), [
      `minifleet_orphan_hosts ${now}`,
      `minifleet_orphan_hosts_reclaimed_total ${reclaimed}`,
    ]);
  await orphans(1, 0);
  metrics.orphanReclaimed();
  hosts = [hostNamed('1'), hostNamed('2', { state: 'Serving' })];
  await orphans(0, 1);
});

test('a list of a zone reports its unmanaged servers and its time', async () => {
  const metrics = createProviderMetrics(fakeClock({ now: 0 }));
  const [pooled, other] = [memoryServer(1), memoryServer(2)];
  metrics.discovered({ at: 0, zone: 'fr-par-1', servers: [pooled, other], unmanaged: [pooled, other] });
  metrics.discovered({ at: 30_000, zone: 'fr-par-2', servers: [], unmanaged: [] });
  metrics.discovered({ at: 90_000, zone: 'fr-par-1', servers: [pooled, other], unmanaged: [other] });
  assert.deepEqual(await shown(metrics, 'unmanaged_servers'), [
    'minifleet_unmanaged_servers{zone="fr-par-1"} 1',
    'minifleet_unmanaged_servers{zone="fr-par-2"} 0',
  ]);
  assert.deepEqual(await shown(metrics, 'discovery'), [
    'minifleet_discovery_timestamp_seconds{zone="fr-par-1"} 90',
    'minifleet_discovery_timestamp_seconds{zone="fr-par-2"} 30',
  ]);
});

test('I12 how long the vendor keeps a host from being given back falls to 0 and no further', async () => {
  const clock = fakeClock({ now: 0 });
  const metrics = createProviderMetrics(clock);
  const rented = { orderedAt: 0, returnableAt: 60_000 };
  const [pooled, other] = [
    { ...memoryServer(1), ...rented },
    { ...memoryServer(2), ...rented },
  ];
  metrics.discovered({ at: 0, zone: 'fr-par-1', servers: [pooled, other], unmanaged: [other] });
  const left = (value: number) => [`minifleet_host_returnable_seconds{zone="fr-par-1",host="${pooled.id}"} ${value}`];
  await clock.advance(seconds(20));
  assert.deepEqual(await shown(metrics, 'host_returnable'), left(40));
  await clock.advance(minutes(2));
  assert.deepEqual(await shown(metrics, 'host_returnable'), left(0));
  assert.deepEqual(await shown(metrics, 'host_age'), [
    `minifleet_host_age_seconds{zone="fr-par-1",host="${pooled.id}"} 140`,
  ]);
  metrics.discovered({ at: 140_000, zone: 'fr-par-1', servers: [], unmanaged: [] });
  assert.deepEqual(await shown(metrics, 'host_age'), []);
});

const ended = (state: HostJobState): HostJob => ({
  id: 'j',
  host: '1',
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

test('a failed job is counted by its step, or as (host) without one; a cancelled job is not counted', async () => {
  const metrics = createProviderMetrics(fakeClock());
  const step = { title: '', fingerprint: '', differences: [], disturbs: 'nothing', notes: [], attempts: 1 } as const;
  const error = HOST_BUSY({ holder: 'x' });
  const steps = [
    { ...step, id: 'tart', state: 'current', changed: true, durationMs: 2_000 },
    { ...step, id: 'sudo', state: 'current', changed: false, durationMs: 10 },
    { ...step, id: 'pf-anchor', state: 'failed', changed: false },
  ] as const;
  const report = { outcome: 'failed', steps, changes: 1, notes: [], attempts: {}, error } as const;
  metrics.jobEnded(ended({ kind: 'converged', report, hostKey: undefined, addresses: [] }));
  metrics.jobEnded(ended({ kind: 'failed', error: new Error('somebody@10.0.0.1 said no'), hostKey: undefined }));
  metrics.jobEnded(ended({ kind: 'cancelled', why: 'deleted' }));
  assert.deepEqual(await shown(metrics, 'host_step_failures'), [
    'minifleet_host_step_failures_total{step="pf-anchor",reason="HostBusy"} 1',
    'minifleet_host_step_failures_total{step="(host)",reason="InternalError"} 1',
  ]);
  const sums = (await shown(metrics, 'host_step_seconds_sum')).join();
  assert.equal(sums, 'minifleet_host_step_seconds_sum{step="tart"} 2');
});

test('vendor calls are counted by outcome, and their results and errors are passed on', async () => {
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

test('I15 the expiry of a minted kubeconfig has a series; a provided kubeconfig without an expiry has none', async () => {
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

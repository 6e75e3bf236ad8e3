import { type ExternalControlPlane, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import type { ForgeRequest } from '@minifleet/forges';
import { createMetrics, type Metrics, type RegisteredMetrics, registerMetrics } from '@minifleet/kube';
import type { MachineDeployment } from '../cluster-api/kinds.ts';
import type { HostWork, Job } from '../host-work/host-work.ts';
import type { StuckReport } from '../stuck-pods/stuck-report.ts';
import type { SeenHost, SweepReport } from '../sweep/sweep-report.ts';
import type { VendorCallEnd } from './counted-vendor.ts';
import { fleetRolls, fleetSizes } from './fleets.ts';
import { failureIn, stepTimes } from './job-figures.ts';
import { fleetOf, phaseOf } from './machine-phase.ts';
import { providerMetricTable } from './metric-table.ts';

const HOST_STATES: readonly SeenHost['state'][] = ['free', 'claimed', 'quarantined', 'busy', 'broken', 'foreign'];

/** Metrics of the provider, in one registry with those of its controllers. */
export interface ProviderMetrics {
  readonly kube: Metrics;
  /** Gauges of current state are computed from these before each scrape, so no series outlives its object. */
  readonly follow: (sources: ProviderMetricSources) => void;
  readonly swept: (report: SweepReport) => void;
  readonly jobEnded: (job: Job) => void;
  readonly vendorCalled: (end: VendorCallEnd) => void;
  readonly forgeCalled: (call: ForgeRequest) => void;
  readonly podsStuck: (report: Pick<StuckReport, 'stuck'>) => void;
}

export interface ProviderMetricSources {
  readonly machines: () => readonly ScalewayAppleSiliconMachine[];
  readonly deployments: () => readonly MachineDeployment[];
  readonly controlPlanes: () => readonly ExternalControlPlane[];
  readonly work: Pick<HostWork, 'running' | 'queued'>;
}

export function createProviderMetrics(clock: Clock, kube: Metrics = createMetrics()): ProviderMetrics {
  const metrics = registerMetrics(kube.registry, providerMetricTable);
  let hosts: readonly SeenHost[] = [];
  kube.beforeScrape.add(() => showAges(metrics, hosts, clock.now()));
  return {
    kube,
    follow: sources => void kube.beforeScrape.add(() => showState(metrics, sources)),
    swept(report) {
      hosts = report.hosts;
      showPools(metrics, hosts);
      const { orphaned, leftBehind } = report.claims;
      metrics.orphanHosts.set({ kind: 'orphaned' }, Math.max(0, orphaned - report.returned - report.letGo));
      metrics.orphanHosts.set({ kind: 'left_behind' }, leftBehind);
      metrics.orphansReclaimed.inc(report.returned);
      metrics.sweptAt.set(report.at / 1_000);
    },
    jobEnded(job) {
      for (const { step, seconds } of stepTimes(job)) metrics.stepSeconds.observe({ step }, seconds);
      const failure = failureIn(job);
      if (failure) metrics.stepFailures.inc(failure);
    },
    vendorCalled: ({ vendor, call, outcome }) => metrics.vendorRequests.inc({ vendor, call, outcome }),
    forgeCalled: ({ forge, call, outcome }) => metrics.forgeRequests.inc({ forge, call, outcome }),
    podsStuck({ stuck }) {
      for (const [cause, count] of Object.entries(stuck)) metrics.podsTerminating.set({ cause }, count);
    },
  };
}

type ProviderGauges = RegisteredMetrics<typeof providerMetricTable>;

function showState(metrics: ProviderGauges, sources: ProviderMetricSources): void {
  showMachines(metrics, sources);
  showKubeconfigs(metrics, sources.controlPlanes());
  metrics.hostJobs.set({ state: 'running' }, sources.work.running);
  metrics.hostJobs.set({ state: 'queued' }, sources.work.queued);
}

function showMachines(metrics: ProviderGauges, { machines, deployments }: ProviderMetricSources): void {
  const all = machines();
  for (const gauge of [metrics.machinePhase, metrics.fleetReplicas, metrics.rollHalted]) gauge.reset();
  for (const machine of all) {
    const { namespace = '', name } = machine.metadata;
    metrics.machinePhase.set({ namespace, machine: name, fleet: fleetOf(machine), ...phaseOf(machine) }, 1);
  }
  for (const { namespace, fleet, desired, ready } of fleetSizes(deployments(), all)) {
    metrics.fleetReplicas.set({ namespace, fleet, state: 'desired' }, desired);
    metrics.fleetReplicas.set({ namespace, fleet, state: 'ready' }, ready);
  }
  for (const { namespace, fleet, halted } of fleetRolls(all)) {
    metrics.rollHalted.set({ namespace, fleet }, halted ? 1 : 0);
  }
}

/** A kubeconfig without a known expiry time has no series. */
function showKubeconfigs({ kubeconfigExpiry }: ProviderGauges, controlPlanes: readonly ExternalControlPlane[]): void {
  kubeconfigExpiry.reset();
  for (const { metadata, status } of controlPlanes) {
    const end = Date.parse(status?.kubeconfigExpirationTime ?? '');
    const name = metadata.labels?.[names.clusterApi.clusterNameLabel] ?? metadata.name;
    if (!Number.isNaN(end)) kubeconfigExpiry.set({ cluster: `${metadata.namespace}/${name}` }, end / 1_000);
  }
}

/** A pool with hosts has a series for every state; otherwise an alert on zero free hosts would have no data. */
function showPools({ poolHosts }: ProviderGauges, hosts: readonly SeenHost[]): void {
  poolHosts.reset();
  for (const { zone, prefix } of hosts) for (const state of HOST_STATES) poolHosts.set({ zone, prefix, state }, 0);
  for (const { zone, prefix, state } of hosts) poolHosts.inc({ zone, prefix, state });
}

/** Hosts in no pool have no age. */
function showAges({ hostAge, hostReturnable }: ProviderGauges, hosts: readonly SeenHost[], now: number): void {
  for (const gauge of [hostAge, hostReturnable]) gauge.reset();
  for (const { zone, id: host, state, orderedAt, returnableAt } of hosts) {
    if (state === 'foreign') continue;
    if (orderedAt !== undefined) hostAge.set({ zone, host }, (now - orderedAt) / 1_000);
    if (returnableAt !== undefined) hostReturnable.set({ zone, host }, Math.max(0, returnableAt - now) / 1_000);
  }
}

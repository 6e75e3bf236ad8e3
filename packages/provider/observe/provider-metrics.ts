import {
  type ExternalControlPlane,
  hostReasons,
  hostStates,
  type InfraMachine,
  type MacHost,
  names,
} from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import type { ForgeRequest } from '@minifleet/forges';
import { WHOLE_HOST } from '@minifleet/host';
import {
  createMetrics,
  findCondition,
  type Metrics,
  type RegisteredMetrics,
  reasonOf,
  registerMetrics,
} from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { MachineDeployment } from '../cluster-api/kinds.ts';
import type { DiscoveryReport } from '../hosts/discovery-controller.ts';
import type { HostJob } from '../hosts/jobs/host-job.ts';
import type { HostJobs } from '../hosts/jobs/host-jobs.ts';
import type { StuckReport } from '../stuck-pods/stuck-report.ts';
import type { VendorCallEnd } from './counted-vendor.ts';
import { fleetRolls, fleetSizes } from './fleets.ts';
import { fleetOf, phaseOf } from './machine-phase.ts';
import { providerMetricTable } from './metric-table.ts';

/** A free host that the vendor reports as busy or broken is counted as that. */
const POOL_STATES: readonly string[] = [...Object.keys(hostStates), 'Busy', 'Broken'];

/** Metrics of the provider, in one registry with those of its controllers. */
export interface ProviderMetrics {
  readonly kube: Metrics;
  /** Gauges of current state are computed from these before each scrape, so no series outlives its object. */
  readonly follow: (sources: ProviderMetricSources) => void;
  readonly discovered: (report: DiscoveryReport) => void;
  readonly orphanReclaimed: () => void;
  readonly jobEnded: (job: HostJob) => void;
  readonly vendorCalled: (end: VendorCallEnd) => void;
  readonly forgeCalled: (call: ForgeRequest) => void;
  readonly podsStuck: (report: Pick<StuckReport, 'stuck'>) => void;
}

export interface ProviderMetricSources {
  readonly machines: () => readonly InfraMachine[];
  readonly hosts: () => readonly MacHost[];
  readonly deployments: () => readonly MachineDeployment[];
  readonly controlPlanes: () => readonly ExternalControlPlane[];
  readonly work: Pick<HostJobs, 'running' | 'queued'>;
}

export function createProviderMetrics(clock: Clock, kube: Metrics = createMetrics()): ProviderMetrics {
  const metrics = registerMetrics(kube.registry, providerMetricTable);
  const listed = new Map<string, readonly Server[]>();
  kube.beforeScrape.add(() => showAges(metrics, [...listed.values()].flat(), clock.now()));
  return {
    kube,
    follow: sources => void kube.beforeScrape.add(() => showState(metrics, sources)),
    discovered({ at, zone, servers, unmanaged }) {
      const others = new Set(unmanaged.map(({ id }) => id));
      listed.set(
        zone,
        servers.filter(({ id }) => !others.has(id)),
      );
      metrics.unmanagedServers.set({ zone }, unmanaged.length);
      metrics.discoveredAt.set({ zone }, at / 1_000);
    },
    orphanReclaimed: () => metrics.orphansReclaimed.inc(),
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
  showHosts(metrics, sources.hosts());
  showKubeconfigs(metrics, sources.controlPlanes());
  metrics.hostJobs.set({ state: 'running' }, sources.work.running);
  metrics.hostJobs.set({ state: 'queued' }, sources.work.queued);
}

function showMachines(metrics: ProviderGauges, { machines, hosts, deployments }: ProviderMetricSources): void {
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
  for (const { namespace, fleet, halted } of fleetRolls(all, hosts())) {
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
function showHosts({ poolHosts, orphanHosts }: ProviderGauges, hosts: readonly MacHost[]): void {
  poolHosts.reset();
  const placed = hosts.map(host => ({ zone: host.spec.source.scaleway?.zone ?? '', pool: host.spec.pool, host }));
  for (const { zone, pool } of placed) for (const state of POOL_STATES) poolHosts.set({ zone, pool, state }, 0);
  for (const { zone, pool, host } of placed) poolHosts.inc({ zone, pool, state: poolState(host) });
  orphanHosts.set({}, hosts.filter(isOrphan).length);
}

function poolState({ status = {} }: MacHost): string {
  const { state = 'Available', vendorState = 'Ready' } = status;
  return state === 'Available' && vendorState !== 'Ready' ? vendorState : state;
}

const isOrphan = (host: MacHost): boolean => findCondition(host, 'Claimed')?.reason === hostReasons.ConsumerMissing;

/** Sets the age and the return time of the servers of pools and machines. */
function showAges({ hostAge, hostReturnable }: ProviderGauges, servers: readonly Server[], now: number): void {
  for (const gauge of [hostAge, hostReturnable]) gauge.reset();
  for (const { zone, id: host, orderedAt, returnableAt } of servers) {
    if (orderedAt !== undefined) hostAge.set({ zone, host }, (now - orderedAt) / 1_000);
    if (returnableAt !== undefined) hostReturnable.set({ zone, host }, Math.max(0, returnableAt - now) / 1_000);
  }
}

interface StepTime {
  readonly step: string;
  readonly seconds: number;
}

/** Duration of the steps that changed the host. The duration of inspections is not measured. */
function stepTimes({ state }: HostJob): readonly StepTime[] {
  if (state.kind !== 'converged') return [];
  return state.report.steps.flatMap(({ id: step, changed, durationMs }) =>
    changed && durationMs !== undefined ? [{ step, seconds: durationMs / 1_000 }] : [],
  );
}

/** Step and reason of a failed job. Both are constants, so the number of series is bounded. A cancelled job did not fail. */
function failureIn({ state }: HostJob): { readonly step: string; readonly reason: string } | undefined {
  if (state.kind === 'failed') return { step: WHOLE_HOST, reason: reasonOf(state.error) };
  if (state.kind !== 'converged' || !state.report.error) return undefined;
  const { steps, error } = state.report;
  return { step: steps.find(step => step.state === 'failed')?.id ?? WHOLE_HOST, reason: reasonOf(error) };
}

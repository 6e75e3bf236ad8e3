import { metricsNamed } from '@minifleet/kube';

const { gauge, counter, histogram } = metricsNamed('minifleet_');

const STEP_BUCKETS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_200, 2_400];

/** Metrics of the provider, in addition to those of its controllers. The metrics page and the alert check read this table. */
export const providerMetricTable = {
  machinePhase: gauge(
    'machine_phase',
    '1 for the phase of a machine: its first unmet condition, or Ready, Paused, Deleting; one series per machine',
    ['namespace', 'machine', 'fleet', 'phase', 'reason'],
  ),
  fleetReplicas: gauge('fleet_replicas', 'Desired and Ready machines of a MachineDeployment, by state', [
    'namespace',
    'fleet',
    'state',
  ]),
  rollHalted: gauge('roll_halted', '1 while a rollout is halted because a host of the fleet failed the desired plan', [
    'namespace',
    'fleet',
  ]),
  poolHosts: gauge(
    'pool_hosts',
    'MacHosts by pool and state; Busy and Broken are Available hosts that the vendor reports so. The zone of owned Macs is empty',
    ['zone', 'pool', 'state'],
  ),
  hostAge: gauge('host_age_seconds', 'Time since the host was ordered', ['zone', 'host']),
  hostReturnable: gauge(
    'host_returnable_seconds',
    'Time until the vendor accepts the return of the host; 0 from then on',
    ['zone', 'host'],
  ),
  orphanHosts: gauge('orphan_hosts', 'MacHosts whose machine no longer exists', []),
  orphansReclaimed: counter(
    'orphan_hosts_reclaimed_total',
    'Hosts whose machine no longer existed and that the provider returned to their pool',
  ),
  unmanagedServers: gauge('unmanaged_servers', 'Servers of the vendor project that belong to no pool and no machine', [
    'zone',
  ]),
  discoveredAt: gauge('discovery_timestamp_seconds', 'Time of the last list of a zone; set by the leader only', [
    'zone',
  ]),
  hostJobs: gauge('host_jobs', 'Host jobs, by state: running, queued', ['state']),
  stepSeconds: histogram('host_step_seconds', 'Duration of a step that changed the host', ['step'], STEP_BUCKETS),
  stepFailures: counter(
    'host_step_failures_total',
    'Host jobs that failed at this step; (host) if they failed at no step',
    ['step', 'reason'],
  ),
  podsTerminating: gauge(
    'pods_terminating',
    'Pods on the Nodes of the provider that are Terminating for too long, by cause',
    ['cause'],
  ),
  kubeconfigExpiry: gauge(
    'kubeconfig_expiry_timestamp_seconds',
    'Expiry time of the token in <cluster>-kubeconfig, which Cluster API uses',
    ['cluster'],
  ),
  vendorRequests: counter('vendor_requests_total', 'Vendor API calls by outcome: ok, or the reason of the error', [
    'vendor',
    'call',
    'outcome',
  ]),
  forgeRequests: counter('forge_requests_total', 'GitHub API calls by outcome: ok, or the reason of the error', [
    'forge',
    'call',
    'outcome',
  ]),
} as const;

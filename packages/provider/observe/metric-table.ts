import { metricsNamed } from '@minifleet/kube';

const { gauge, counter, histogram } = metricsNamed('minifleet_');

const STEP_BUCKETS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_200, 2_400];

/** Every metric of the provider beside a controller's own. The page of metrics and the check of the alerts read this table, too. */
export const providerMetricTable = {
  machinePhase: gauge(
    'machine_phase',
    '1 for where a machine is: the first condition that does not hold, or Ready, Paused, Deleting; one series a machine',
    ['namespace', 'machine', 'fleet', 'phase', 'reason'],
  ),
  fleetReplicas: gauge('fleet_replicas', 'Machines a MachineDeployment wants, and those that are Ready', [
    'namespace',
    'fleet',
    'state',
  ]),
  rollHalted: gauge('roll_halted', '1 while a host of the fleet has failed the wanted plan, so that no other gets it', [
    'namespace',
    'fleet',
  ]),
  poolHosts: gauge(
    'pool_hosts',
    'Hosts at the last sweep, by pool and state: free, claimed, quarantined, busy, broken, or foreign to every pool',
    ['zone', 'prefix', 'state'],
  ),
  hostAge: gauge('host_age_seconds', 'Time since a host was ordered', ['zone', 'host']),
  hostReturnable: gauge('host_returnable_seconds', 'Time until the vendor takes a host back, 0 once it does', [
    'zone',
    'host',
  ]),
  orphanHosts: gauge(
    'orphan_hosts',
    'Hosts whose machine is gone at the last sweep: to be returned (orphaned), or for a person to decide (left_behind)',
    ['kind'],
  ),
  orphansReclaimed: counter('orphan_hosts_reclaimed_total', 'Hosts of machines that are gone given back to their pool'),
  sweptAt: gauge('sweep_timestamp_seconds', 'When every host was last looked at; only the leader does'),
  hostJobs: gauge('host_jobs', 'Runs on hosts that are under way, and that wait for a free place', ['state']),
  stepSeconds: histogram('host_step_seconds', 'Duration of a step that changed the host', ['step'], STEP_BUCKETS),
  stepFailures: counter('host_step_failures_total', 'Runs that ended at this step, or at no step: (host)', [
    'step',
    'reason',
  ]),
  podsTerminating: gauge('pods_terminating', 'Pods on our Nodes that are Terminating for too long, by cause', [
    'cause',
  ]),
  kubeconfigExpiry: gauge(
    'kubeconfig_expiry_timestamp_seconds',
    'When the token in <cluster>-kubeconfig ends, by which Cluster API core reaches the cluster',
    ['cluster'],
  ),
  vendorRequests: counter('vendor_requests_total', 'Calls to a vendor by outcome: ok, or the reason of the error', [
    'vendor',
    'call',
    'outcome',
  ]),
  forgeRequests: counter('forge_requests_total', 'Calls to GitHub by outcome: ok, or the reason of the error', [
    'forge',
    'call',
    'outcome',
  ]),
} as const;

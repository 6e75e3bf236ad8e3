import type { Alert } from '@minifleet/kube';
import type { MachineReason } from '../machines/phase.ts';
import { PROVIDER_LEASE } from '../settings/settings.ts';

/** Reasons that no retry resolves: an operator must act or change the spec. */
const UNTIL_A_PERSON_ACTS: readonly MachineReason[] = [
  'StepFailed',
  'HostKeyChanged',
  'HostVanished',
  'ClaimLost',
  'PasswordMissing',
  'PasswordRejected',
  'NoAdoptPoolPrefix',
  'EndpointUnknown',
  'BuilderMaterialMissing',
  'ProviderIDMismatch',
  'RequestDenied',
];

const inPhase = (...reasons: readonly MachineReason[]): string =>
  `minifleet_machine_phase{reason=~"${reasons.join('|')}"}`;

/**
 * Every replica serves the machines in its cache, so expressions take the maximum over replicas. Phase and reason are not in the
 * grouping if a machine that changes from one to the next still has the same problem.
 */
export const alerts: readonly Alert[] = [
  {
    name: 'MachineStuck',
    expr: 'max by (namespace, machine, fleet) (minifleet_machine_phase{phase!~"Ready|Paused"}) == 1',
    for: '30m',
    severity: 'warning',
    summary: '{{ $labels.namespace }}/{{ $labels.machine }} is not Ready',
    description: 'The machine has been provisioning or deleting for more than 30 minutes.',
  },
  {
    name: 'MachineFailed',
    expr: `max by (namespace, machine, fleet, reason) (${inPhase(...UNTIL_A_PERSON_ACTS)}) == 1`,
    for: '30m',
    severity: 'critical',
    summary: '{{ $labels.namespace }}/{{ $labels.machine }} needs an operator: {{ $labels.reason }}',
    description: 'Retries do not help. An operator must resolve the cause that the reason names.',
  },
  {
    name: 'FleetShort',
    expr: 'max by (namespace, fleet) (minifleet_fleet_replicas{state="ready"}) < max by (namespace, fleet) (minifleet_fleet_replicas{state="desired"})',
    for: '1h',
    severity: 'critical',
    summary: 'Fleet {{ $labels.namespace }}/{{ $labels.fleet }} has fewer Ready machines than desired',
    description: 'Only {{ $value }} machines have been Ready for an hour.',
  },
  {
    name: 'PoolEmpty',
    expr: `count by (namespace, fleet) (max by (namespace, fleet, machine) (${inPhase('NoHostAvailable')})) > 0`,
    for: '15m',
    severity: 'warning',
    summary: 'Machines of {{ $labels.namespace }}/{{ $labels.fleet }} wait for a host',
    description: '{{ $value }} machines need a host, and their pool has no free host that matches.',
  },
  {
    name: 'HostQuarantined',
    expr: 'max by (zone, pool, state) (minifleet_pool_hosts{state=~"Quarantined|Broken"}) > 0',
    for: '15m',
    severity: 'info',
    summary: 'Hosts of pool {{ $labels.pool }} {{ $labels.zone }} are unusable: {{ $labels.state }}',
    description: '{{ $value }} hosts incur cost and serve no machine.',
  },
  {
    name: 'OrphanHosts',
    expr: 'max(minifleet_orphan_hosts) > 0',
    for: '1h',
    severity: 'warning',
    summary: 'Hosts are held by machines that no longer exist',
    description:
      '{{ $value }} hosts incur cost and serve no machine. With provider.reclaimOrphans the provider returns them to their pool.',
  },
  {
    name: 'HostMissing',
    expr: 'max by (zone, pool) (minifleet_pool_hosts{state="Missing"}) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'Hosts of pool {{ $labels.pool }} {{ $labels.zone }} no longer exist at the vendor',
    description:
      '{{ $value }} MacHosts have no server. If the rental has ended, delete the Machine, or the MacHost if no machine holds it.',
  },
  {
    name: 'UnmanagedServers',
    expr: 'max by (zone) (minifleet_unmanaged_servers) > 0',
    for: '24h',
    severity: 'info',
    summary: 'Servers in {{ $labels.zone }} belong to no pool',
    description:
      '{{ $value }} servers of the vendor project incur cost, and nothing manages them. `minifleet get hosts --unmanaged` lists them.',
  },
  {
    name: 'DuplicateClaim',
    expr: `max by (namespace, machine, fleet) (${inPhase('ClaimConflict')}) == 1`,
    for: '5m',
    severity: 'critical',
    summary: '{{ $labels.namespace }}/{{ $labels.machine }} names a host that another machine holds',
    description: 'The provider blocks its access to that host, so the machine cannot become Ready.',
  },
  {
    name: 'PodsStuckTerminating',
    expr: 'max by (cause) (minifleet_pods_terminating) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'Pods on Macs stay Terminating: {{ $labels.cause }}',
    description: '{{ $value }} Pods were deleted and still exist.',
  },
  {
    name: 'RollHalted',
    expr: 'max by (namespace, fleet) (minifleet_roll_halted) == 1',
    for: '5m',
    severity: 'warning',
    summary: 'The rollout of {{ $labels.namespace }}/{{ $labels.fleet }} is halted',
    description: 'A host failed the desired plan. Other hosts keep their current plan.',
  },
  {
    name: 'BuilderRunnerOffline',
    expr: `max by (namespace, machine, fleet, reason) (${inPhase('RunnerNotRegistered', 'RunnerOffline', 'ForgeUnavailable', 'RunnerTokenUnavailable')}) == 1`,
    for: '15m',
    severity: 'warning',
    summary: 'The builder {{ $labels.namespace }}/{{ $labels.machine }} accepts no jobs: {{ $labels.reason }}',
    description:
      'The provider checks the host every minute and registers its runner again. This has not helped for 15 minutes.',
  },
  {
    name: 'KubeconfigExpiring',
    // Renewed after half of its lifetime: 12 h before it expires, with the default of --kubeconfig-life.
    expr: 'max by (cluster) (minifleet_kubeconfig_expiry_timestamp_seconds) - time() < 6 * 3600',
    for: '5m',
    severity: 'critical',
    summary: 'The kubeconfig of cluster {{ $labels.cluster }} expires soon and is not renewed',
    description:
      'Cluster API loses access to the cluster in {{ $value | humanizeDuration }}. It then binds, drains and deletes no Machine.',
  },
  {
    name: 'ProviderDown',
    expr: `absent(minifleet_host_jobs) or max(leader_election_master_status{name="${PROVIDER_LEASE}"}) == 0`,
    for: '15m',
    severity: 'critical',
    summary: 'No provider is active',
    description:
      'No replica responds or is the leader. Machines are not created, repaired or returned. Hosts and VMs continue.',
  },
  {
    name: 'HostUnreachable',
    expr: `max by (namespace, machine, fleet) (${inPhase('HostUnreachable')}) == 1`,
    for: '15m',
    severity: 'warning',
    summary: 'The host of {{ $labels.namespace }}/{{ $labels.machine }} does not respond over SSH',
    description: 'The provider cannot inspect, repair or update the host. Its Node shows whether it still works.',
  },
  {
    name: 'DiscoveryStopped',
    // Only the leader lists; other replicas serve no series.
    expr: 'time() - max(minifleet_discovery_timestamp_seconds) > 3600',
    for: '15m',
    severity: 'warning',
    summary: 'The servers of the vendor have not been listed for an hour',
    description: 'New servers get no MacHost, and missing servers are not noticed.',
  },
  {
    name: 'VendorUnavailable',
    expr: 'sum by (vendor) (rate(minifleet_vendor_requests_total{outcome=~"VendorUnavailable|VendorRefused"}[10m])) > 0.5 * sum by (vendor) (rate(minifleet_vendor_requests_total[10m]))',
    for: '15m',
    severity: 'warning',
    summary: '{{ $labels.vendor }} does not respond, or rejects requests',
    description: 'No host is claimed or returned. Hosts in service continue.',
  },
];

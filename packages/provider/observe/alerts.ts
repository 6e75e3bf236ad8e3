import type { Alert } from '@minifleet/kube';
import type { MachineReason } from '../machines/phase-failure.ts';

/** What no further try ends: a person has to act, or change what is wanted. */
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
 * Every replica shows the machines it has in its cache, so what is said of a machine is the most that any says. Phase and reason
 * are left out of the grouping where a machine that goes from one to the next is still the same trouble.
 */
export const alerts: readonly Alert[] = [
  {
    name: 'MachineStuck',
    expr: 'max by (namespace, machine, fleet) (minifleet_machine_phase{phase!~"Ready|Paused"}) == 1',
    for: '30m',
    severity: 'warning',
    summary: '{{ $labels.namespace }}/{{ $labels.machine }} is not Ready',
    description: 'The machine has been on its way to Ready, or to its end, for more than 30 minutes.',
  },
  {
    name: 'MachineFailed',
    expr: `max by (namespace, machine, fleet, reason) (${inPhase(...UNTIL_A_PERSON_ACTS)}) == 1`,
    for: '30m',
    severity: 'critical',
    summary: '{{ $labels.namespace }}/{{ $labels.machine }} needs a person: {{ $labels.reason }}',
    description: 'Trying again does not help; what the reason stands for has to be resolved by somebody.',
  },
  {
    name: 'FleetShort',
    expr: 'max by (namespace, fleet) (minifleet_fleet_replicas{state="ready"}) < max by (namespace, fleet) (minifleet_fleet_replicas{state="desired"})',
    for: '1h',
    severity: 'critical',
    summary: 'Fleet {{ $labels.namespace }}/{{ $labels.fleet }} has fewer Ready machines than it wants',
    description: 'For an hour only {{ $value }} machines have been Ready.',
  },
  {
    name: 'PoolEmpty',
    expr: `count by (namespace, fleet) (max by (namespace, fleet, machine) (${inPhase('NoHostAvailable')})) > 0`,
    for: '15m',
    severity: 'warning',
    summary: 'Machines of {{ $labels.namespace }}/{{ $labels.fleet }} wait for a host',
    description: '{{ $value }} machines want a host and their pool has none that is free and fits.',
  },
  {
    name: 'HostQuarantined',
    expr: 'max by (zone, prefix, state) (minifleet_pool_hosts{state=~"quarantined|broken"}) > 0',
    for: '15m',
    severity: 'info',
    summary: 'Hosts of pool {{ $labels.prefix }} in {{ $labels.zone }} are out of use: {{ $labels.state }}',
    description: '{{ $value }} hosts are paid for and given to no machine.',
  },
  {
    name: 'OrphanHosts',
    expr: 'sum(max by (kind) (minifleet_orphan_hosts)) > 0',
    for: '1h',
    severity: 'warning',
    summary: 'Hosts are claimed by machines that are gone',
    description: '{{ $value }} hosts are held by nobody and are in no pool.',
  },
  {
    name: 'DuplicateClaim',
    expr: `max by (namespace, machine, fleet) (${inPhase('ClaimConflict')}) == 1`,
    for: '5m',
    severity: 'critical',
    summary: '{{ $labels.namespace }}/{{ $labels.machine }} names a host that another machine holds',
    description: 'It is kept off that host and can never become Ready.',
  },
  {
    name: 'PodsStuckTerminating',
    expr: 'max by (cause) (minifleet_pods_terminating) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'Pods on Macs stay Terminating: {{ $labels.cause }}',
    description: '{{ $value }} Pods were deleted and do not go.',
  },
  {
    name: 'RollHalted',
    expr: 'max by (namespace, fleet) (minifleet_roll_halted) == 1',
    for: '5m',
    severity: 'warning',
    summary: 'The roll of {{ $labels.namespace }}/{{ $labels.fleet }} is halted',
    description: 'A host failed the wanted plan; the others keep what they have.',
  },
  {
    name: 'BuilderRunnerOffline',
    expr: `max by (namespace, machine, fleet, reason) (${inPhase('RunnerNotRegistered', 'RunnerOffline', 'ForgeUnavailable', 'RunnerTokenUnavailable')}) == 1`,
    for: '15m',
    severity: 'warning',
    summary: 'The builder {{ $labels.namespace }}/{{ $labels.machine }} takes no jobs: {{ $labels.reason }}',
    description:
      'Its host is looked at every minute and its runner registered anew where that helps; it has not for 15 minutes.',
  },
  {
    name: 'KubeconfigExpiring',
    // Renewed at half its life, 12 h before its end unless --kubeconfig-life says otherwise.
    expr: 'max by (cluster) (minifleet_kubeconfig_expiry_timestamp_seconds) - time() < 6 * 3600',
    for: '5m',
    severity: 'critical',
    summary: 'The kubeconfig of cluster {{ $labels.cluster }} ends soon and is not renewed',
    description:
      'In {{ $value | humanizeDuration }} Cluster API core loses the cluster: no Machine binds, drains or is deleted.',
  },
  {
    name: 'ProviderDown',
    // The leader looks at all hosts at its start and every 15 minutes; replicas that wait show the time 0.
    expr: 'absent(minifleet_host_jobs) or (time() - max(minifleet_sweep_timestamp_seconds) > 3600)',
    for: '15m',
    severity: 'critical',
    summary: 'No provider is at work',
    description: 'None answers, or none leads: machines are neither made, mended nor given back. Hosts and VMs go on.',
  },
  {
    name: 'HostUnreachable',
    expr: `max by (namespace, machine, fleet) (${inPhase('HostUnreachable')}) == 1`,
    for: '15m',
    severity: 'warning',
    summary: 'The host of {{ $labels.namespace }}/{{ $labels.machine }} does not answer over SSH',
    description: 'It cannot be inspected, repaired or rolled. Its Node tells whether it works all the same.',
  },
  {
    name: 'VendorUnavailable',
    expr: 'sum by (vendor) (rate(minifleet_vendor_requests_total{outcome=~"VendorUnavailable|VendorRefused"}[10m])) > 0.5 * sum by (vendor) (rate(minifleet_vendor_requests_total[10m]))',
    for: '15m',
    severity: 'warning',
    summary: '{{ $labels.vendor }} does not answer, or refuses us',
    description: 'No host is claimed or given back meanwhile. Hosts that serve go on.',
  },
];

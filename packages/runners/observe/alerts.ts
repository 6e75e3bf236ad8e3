import type { Alert } from '@minifleet/kube';

const most = (metric: string, selector = ''): string =>
  `max by (namespace, pool) (tuist_runners_pool_${metric}${selector})`;

/** Every replica shows the pools it has in its cache, so what is said of a pool is the most that any says. */
export const runnersAlerts: readonly Alert[] = [
  {
    name: 'RunnersNoneOnline',
    expr: `${most('wanted_replicas')} > 0 and ${most('idle_replicas')} + ${most('busy_replicas')} == 0`,
    for: '10m',
    severity: 'critical',
    summary: 'Pool {{ $labels.namespace }}/{{ $labels.pool }} has no runner online',
    description: 'None of its runners has been online for 10 minutes: every job of its label waits.',
  },
  {
    name: 'RunnersPoolShort',
    expr: `${most('wanted_replicas')} > ${most('idle_replicas')} + ${most('busy_replicas')}`,
    for: '30m',
    severity: 'warning',
    summary: 'Pool {{ $labels.namespace }}/{{ $labels.pool }} has fewer runners online than it wants',
    description: 'It has wanted {{ $value }} runners for 30 minutes, and fewer were online.',
  },
  {
    name: 'RunnersStartTimeouts',
    expr: 'max by (namespace, pool) (increase(tuist_runners_pool_pod_start_timeouts_total[30m])) > 2',
    for: '5m',
    severity: 'warning',
    summary: 'Runners of {{ $labels.namespace }}/{{ $labels.pool }} do not come online in time',
    description: '{{ $value | humanize }} were replaced within 30 minutes because they were not online in their time.',
  },
  {
    name: 'RunnersCrashLooping',
    expr: `${most('crash_rounds')} > 2`,
    for: '5m',
    severity: 'critical',
    summary: 'Runners of {{ $labels.namespace }}/{{ $labels.pool }} end without a job, again and again',
    description: '{{ $value }} rounds in a row; the next ones are made later and later.',
  },
  {
    name: 'RunnersJobsLost',
    expr: 'max by (namespace, pool, outcome) (increase(tuist_runners_pool_ends_total{outcome=~"JobLost|HostLost"}[1h])) > 0',
    for: '1m',
    severity: 'warning',
    summary: 'Runners of {{ $labels.namespace }}/{{ $labels.pool }} were lost: {{ $labels.outcome }}',
    description: '{{ $value | humanize }} within the hour; a job that was lost has to be started again by somebody.',
  },
  {
    name: 'RunnerPodsStuckTerminating',
    expr: 'max by (namespace, pool, cause) (tuist_runners_pool_stuck_pods) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'Pods of {{ $labels.namespace }}/{{ $labels.pool }} stay Terminating: {{ $labels.cause }}',
    description: '{{ $value }} Pods were deleted and do not go; they may hold VM slots.',
  },
  {
    name: 'RunnersForgeUnreachable',
    // A pool whose forge has not been asked yet, or keeps some old registrations, is served all the same.
    expr: 'max by (namespace, pool, reason) (tuist_runners_pool_forge_reachable{reason!~"NotChecked|StaleRegistrations"}) == 0',
    for: '10m',
    severity: 'critical',
    summary: 'The forge does not serve {{ $labels.namespace }}/{{ $labels.pool }}: {{ $labels.reason }}',
    description: 'No runner can be registered or removed meanwhile. Those that are online go on.',
  },
  {
    name: 'RunnersSignalsUnavailable',
    expr: 'sum(rate(tuist_runners_autoscaler_signal_requests_total{outcome!="ok"}[10m])) > 0.5 * sum(rate(tuist_runners_autoscaler_signal_requests_total[10m]))',
    for: '15m',
    severity: 'warning',
    summary: 'Nobody tells the demand on pools',
    description: 'More than half of the questions fail; pools keep the size they have.',
  },
  {
    name: 'RunnersControllerDown',
    // Pools are looked after at least every few minutes; replicas that wait show the time 0. Without a pool nothing is to be done.
    expr: 'absent(tuist_runners_pool_pass_timestamp_seconds) or (time() - max(tuist_runners_pool_pass_timestamp_seconds) > 900 and count(tuist_runners_pool_wanted_replicas) > 0)',
    for: '10m',
    severity: 'critical',
    summary: 'Nobody looks after the runner pools',
    description: 'No controller answers, or none leads: runners that end are not replaced. Jobs that run go on.',
  },
];

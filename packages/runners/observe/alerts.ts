import type { Alert } from '@minifleet/kube';

const most = (metric: string, selector = ''): string =>
  `max by (namespace, pool) (tuist_runners_pool_${metric}${selector})`;

/** Every replica serves the pools in its cache, so expressions take the maximum over replicas. */
export const runnersAlerts: readonly Alert[] = [
  {
    name: 'RunnersNoneOnline',
    expr: `${most('wanted_replicas')} > 0 and ${most('idle_replicas')} + ${most('busy_replicas')} == 0`,
    for: '10m',
    severity: 'critical',
    summary: 'Pool {{ $labels.namespace }}/{{ $labels.pool }} has no runner online',
    description: 'None of its runners has been online for 10 minutes. All jobs with its label wait.',
  },
  {
    name: 'RunnersPoolShort',
    expr: `${most('wanted_replicas')} > ${most('idle_replicas')} + ${most('busy_replicas')}`,
    for: '30m',
    severity: 'warning',
    summary: 'Pool {{ $labels.namespace }}/{{ $labels.pool }} has fewer runners online than desired',
    description: '{{ $value }} runners have been desired for 30 minutes, and fewer were online.',
  },
  {
    name: 'RunnersStartTimeouts',
    expr: 'max by (namespace, pool) (increase(tuist_runners_pool_pod_start_timeouts_total[30m])) > 2',
    for: '5m',
    severity: 'warning',
    summary: 'Runners of {{ $labels.namespace }}/{{ $labels.pool }} do not come online in time',
    description:
      '{{ $value | humanize }} runners were replaced within 30 minutes because they were not online in time.',
  },
  {
    name: 'RunnersCrashLooping',
    expr: `${most('crash_rounds')} > 2`,
    for: '5m',
    severity: 'critical',
    summary: 'Runners of {{ $labels.namespace }}/{{ $labels.pool }} repeatedly end without a job',
    description: '{{ $value }} consecutive rounds. New runners are created with increasing delay.',
  },
  {
    name: 'RunnersVersionOutdated',
    // The value is 1 while the end is only announced, and 0 once GitHub refuses the version.
    expr: 'max by (namespace, pool, reason) (tuist_runners_pool_runner_version_supported{reason=~"EndsSoon|Outdated"}) >= 0',
    for: '10m',
    severity: 'warning',
    summary: 'The runner version of {{ $labels.namespace }}/{{ $labels.pool }} is out of support: {{ $labels.reason }}',
    description:
      'GitHub gives no jobs to this version of actions/runner, or stops within 14 days. The image needs a newer runner.',
  },
  {
    name: 'RunnersJobsLost',
    expr: 'max by (namespace, pool, outcome) (increase(tuist_runners_pool_ends_total{outcome=~"JobLost|HostLost"}[1h])) > 0',
    for: '1m',
    severity: 'warning',
    summary: 'Runners of {{ $labels.namespace }}/{{ $labels.pool }} were lost: {{ $labels.outcome }}',
    description: '{{ $value | humanize }} within the hour. An operator must restart the lost jobs.',
  },
  {
    name: 'RunnerPodsStuckTerminating',
    expr: 'max by (namespace, pool, cause) (tuist_runners_pool_stuck_pods) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'Pods of {{ $labels.namespace }}/{{ $labels.pool }} stay Terminating: {{ $labels.cause }}',
    description: '{{ $value }} Pods were deleted and still exist. They may hold VM slots.',
  },
  {
    name: 'RunnersForgeUnreachable',
    // GitHub also serves a pool for which it was not requested yet, or for which it keeps old registrations.
    expr: 'max by (namespace, pool, reason) (tuist_runners_pool_forge_reachable{reason!~"NotChecked|StaleRegistrations"}) == 0',
    for: '10m',
    severity: 'critical',
    summary: 'GitHub does not serve {{ $labels.namespace }}/{{ $labels.pool }}: {{ $labels.reason }}',
    description: 'No runner can be registered or removed. Runners that are online continue.',
  },
  {
    name: 'RunnersSignalsUnavailable',
    expr: 'sum(rate(tuist_runners_autoscaler_signal_requests_total{outcome!="ok"}[10m])) > 0.5 * sum(rate(tuist_runners_autoscaler_signal_requests_total[10m]))',
    for: '15m',
    severity: 'warning',
    summary: 'Scaling signals are unavailable',
    description: 'More than half of the requests fail. Pools keep their size.',
  },
  {
    name: 'RunnersControllerDown',
    // The leader reconciles pools at least every few minutes. Other replicas serve the time 0. Without a pool there is no work.
    expr: 'absent(tuist_runners_pool_pass_timestamp_seconds) or (time() - max(tuist_runners_pool_pass_timestamp_seconds) > 900 and count(tuist_runners_pool_wanted_replicas) > 0)',
    for: '10m',
    severity: 'critical',
    summary: 'No runners program is active',
    description: 'No replica responds or is the leader. Runners that end are not replaced. Running jobs continue.',
  },
];

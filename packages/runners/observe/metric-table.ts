import { metricsNamed, type RegisteredMetrics } from '@minifleet/kube';

const { gauge, counter, histogram } = metricsNamed('tuist_runners_');
const pool = ['namespace', 'pool'] as const;

/** The objective is half a second from the end of a Pod to its replacement. */
const REPLACEMENT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const START_BUCKETS = [5, 10, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1_200];

/** Metrics of the runners program, in addition to those of its controllers. The previous system uses some of the same names. */
export const runnersMetricTable = {
  wanted: gauge('pool_wanted_replicas', 'Desired runners of the pool', pool),
  idle: gauge('pool_idle_replicas', 'Runners that are online without a job', pool),
  busy: gauge('pool_busy_replicas', 'Runners with a job', pool),
  pending: gauge(
    'pool_pending_provisioning_pods',
    'Runners that are not yet online: unscheduled, pulling or starting',
    pool,
  ),
  oldestPending: gauge(
    'pool_oldest_pending_pod_age_seconds',
    'Age of the oldest runner that is not yet online; 0 if there is none',
    pool,
  ),
  phases: gauge('pool_phase_replicas', 'Pods of the pool that have not ended, by phase: Pending, Running, Unknown', [
    ...pool,
    'phase',
  ]),
  terminating: gauge('pool_terminating_pods', 'Pods that are Terminating; they may still hold a VM slot', pool),
  stuck: gauge('pool_stuck_pods', 'Pods that are Terminating for too long, by cause', [...pool, 'cause']),
  stale: gauge('pool_stale_pods', 'Runners with another image than the pool has now', pool),
  rollCap: gauge('pool_roll_concurrency_cap', 'Runners that a rollout may replace in parallel', pool),
  leftBehind: gauge(
    'pool_left_behind_registrations',
    'Registrations of deleted runners that GitHub does not remove because it reports a job on them',
    pool,
  ),
  ready: gauge(
    'pool_ready',
    '1 when every desired runner is online, else 0, with the reason of the condition Ready; one series per pool',
    [...pool, 'reason'],
  ),
  forgeReachable: gauge(
    'pool_forge_reachable',
    '1 when GitHub serves the pool, else 0, with the reason of the condition ForgeReachable; one series per pool',
    [...pool, 'reason'],
  ),
  versionSupported: gauge(
    'pool_runner_version_supported',
    '1 while GitHub gives jobs to the runner version of the image, else 0, with the reason of the condition RunnerVersionSupported; one series per pool',
    [...pool, 'reason'],
  ),
  versionEnds: gauge(
    'pool_runner_version_end_timestamp_seconds',
    'Time from which GitHub gives no jobs to the runner version of the image, as announced by GitHub; no series without an announcement',
    [...pool, 'version'],
  ),
  crashes: gauge(
    'pool_crash_rounds',
    'Consecutive rounds of runners that ended without a job; new runners are created with increasing delay',
    pool,
  ),
  ends: counter('pool_ends_total', 'Runners that ended, by outcome; from the status of the pool', [...pool, 'outcome']),
  startTimeouts: counter(
    'pool_pod_start_timeouts_total',
    'Runners that were not online in time, or whose VM could not be started',
    pool,
  ),
  replacement: histogram(
    'pool_replacement_seconds',
    'Time from the end or deletion of a runner to the creation of its replacement',
    pool,
    REPLACEMENT_BUCKETS,
  ),
  start: histogram(
    'pool_start_seconds',
    'Time from the creation of a runner until it was online and idle',
    pool,
    START_BUCKETS,
  ),
  passedAt: gauge('pool_pass_timestamp_seconds', 'Time of the last reconcile of a pool; set by the leader only'),
  forgeRequests: counter('forge_requests_total', 'GitHub API calls by outcome: ok, or the reason of the error', [
    'forge',
    'call',
    'outcome',
  ]),
  readyNodes: gauge('fleet_ready_nodes', 'Nodes of the fleet that accept runners', [
    'fleet_selector',
    'operating_system',
  ]),
  filteredNodes: gauge('fleet_filtered_nodes', 'Nodes of the fleet that accept no runners, by the first reason', [
    'fleet_selector',
    'operating_system',
    'reason',
  ]),
  target: gauge('autoscaler_target_replicas', 'Runners that the pool would have without other pools on its Macs', pool),
  allocated: gauge(
    'autoscaler_allocated_replicas',
    'Runners that the pool gets next to the other pools of the fleet',
    pool,
  ),
  warmDeficit: gauge('autoscaler_warm_deficit_replicas', 'Warm runners for which there are no VM slots', pool),
  warmFloor: gauge('autoscaler_min_warm_floor_replicas', 'Idle runners in addition to those that jobs need', pool),
  claimedJobs: gauge('autoscaler_claimed_jobs', 'Jobs that have a runner', pool),
  occupied: gauge('autoscaler_occupied_runners', 'Runners in use', pool),
  queuedJobs: gauge('autoscaler_queued_jobs', 'Jobs that wait for a runner', pool),
  signalRequests: counter(
    'autoscaler_signal_requests_total',
    'Requests for scaling signals by outcome: ok, or the reason of the error',
    ['outcome'],
  ),
} as const;

export type RunnersGauges = RegisteredMetrics<typeof runnersMetricTable>;

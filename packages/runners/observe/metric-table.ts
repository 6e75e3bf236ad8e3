import { metricsNamed, type RegisteredMetrics } from '@minifleet/kube';

const { gauge, counter, histogram } = metricsNamed('tuist_runners_');
const pool = ['namespace', 'pool'] as const;

/** The objective is half a second from the end of a Pod to its replacement. */
const REPLACEMENT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const START_BUCKETS = [5, 10, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1_200];

/** Every metric of the runners program beside a controller's own. Names that the older system has are kept. */
export const runnersMetricTable = {
  wanted: gauge('pool_wanted_replicas', 'Runners the pool shall have', pool),
  idle: gauge('pool_idle_replicas', 'Runners online and without a job', pool),
  busy: gauge('pool_busy_replicas', 'Runners with a job', pool),
  pending: gauge('pool_pending_provisioning_pods', 'Runners not yet online: unscheduled, pulling or starting', pool),
  oldestPending: gauge(
    'pool_oldest_pending_pod_age_seconds',
    'Age of the oldest runner that is not yet online; 0 without one',
    pool,
  ),
  phases: gauge('pool_phase_replicas', 'Pods of the pool that have not ended, by phase: Pending, Running, Unknown', [
    ...pool,
    'phase',
  ]),
  terminating: gauge('pool_terminating_pods', 'Pods on their way out; they may still hold a VM slot', pool),
  stuck: gauge('pool_stuck_pods', 'Of those: beyond their time, by cause', [...pool, 'cause']),
  stale: gauge('pool_stale_pods', 'Runners of another image than the pool wants', pool),
  rollCap: gauge('pool_roll_concurrency_cap', 'Runners that a roll may take at once', pool),
  leftBehind: gauge(
    'pool_left_behind_registrations',
    'Registrations of runners that are gone, which the forge does not let go because it believes that they have a job',
    pool,
  ),
  ready: gauge(
    'pool_ready',
    '1 when every wanted runner is online, else 0, with the reason of the condition Ready; one series a pool',
    [...pool, 'reason'],
  ),
  forgeReachable: gauge(
    'pool_forge_reachable',
    '1 when the forge answers the pool, else 0, with the reason of the condition ForgeReachable; one series a pool',
    [...pool, 'reason'],
  ),
  crashes: gauge(
    'pool_crash_rounds',
    'Rounds of runners in a row that ended without a job; while it is not 0 new ones wait longer and longer',
    pool,
  ),
  ends: counter('pool_ends_total', 'Runners that ended, by outcome; counted in the pool’s status', [
    ...pool,
    'outcome',
  ]),
  startTimeouts: counter(
    'pool_pod_start_timeouts_total',
    'Runners that were not online within their time, or whose VM could not be started',
    pool,
  ),
  replacement: histogram(
    'pool_replacement_seconds',
    'From a runner’s end or removal until the one in its place was made',
    pool,
    REPLACEMENT_BUCKETS,
  ),
  start: histogram('pool_start_seconds', 'From a runner’s creation until it was online and idle', pool, START_BUCKETS),
  passedAt: gauge('pool_pass_timestamp_seconds', 'When a pool was last looked after; only the leader does'),
  forgeRequests: counter('forge_requests_total', 'Calls to a forge by outcome: ok, or the reason of the error', [
    'forge',
    'call',
    'outcome',
  ]),
  readyNodes: gauge('fleet_ready_nodes', 'Nodes of the fleet that take runners', [
    'fleet_selector',
    'operating_system',
  ]),
  filteredNodes: gauge('fleet_filtered_nodes', 'Nodes of the fleet that take none, by the first reason', [
    'fleet_selector',
    'operating_system',
    'reason',
  ]),
  target: gauge('autoscaler_target_replicas', 'Runners the pool would have alone on its Macs', pool),
  allocated: gauge('autoscaler_allocated_replicas', 'Runners it has beside the other pools of the fleet', pool),
  warmDeficit: gauge('autoscaler_warm_deficit_replicas', 'Warm runners there are no slots for', pool),
  warmFloor: gauge('autoscaler_min_warm_floor_replicas', 'Idle runners to hold beyond those that jobs need', pool),
  claimedJobs: gauge('autoscaler_claimed_jobs', 'Jobs that have a runner', pool),
  occupied: gauge('autoscaler_occupied_runners', 'Runners in use', pool),
  queuedJobs: gauge('autoscaler_queued_jobs', 'Jobs that could start if there were a runner', pool),
  signalRequests: counter(
    'autoscaler_signal_requests_total',
    'Questions for the demand on a pool by outcome: ok, or the reason of the error',
    ['outcome'],
  ),
} as const;

export type RunnersGauges = RegisteredMetrics<typeof runnersMetricTable>;

/** One Grafana dashboard per program: rows of panels for the first questions on call. */
export interface Panel {
  readonly title: string;
  readonly expr: string;
  readonly legend: string;
  readonly unit?: 's' | 'short';
}

/** Every replica exports the objects of its cache, so panels show the maximum over all replicas. */
const most = (metric: string, by: string): string => `max by (${by}) (${metric})`;
const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}[15m]))`;

export const providerPanels: readonly Panel[] = [
  {
    title: 'Macs wanted and Ready',
    expr: most('minifleet_fleet_replicas', 'fleet, state'),
    legend: '{{fleet}} {{state}}',
  },
  {
    title: 'Where machines are',
    expr: 'count by (phase, reason) (max by (namespace, machine, phase, reason) (minifleet_machine_phase == 1))',
    legend: '{{phase}} {{reason}}',
  },
  { title: 'Hosts by state', expr: most('minifleet_pool_hosts', 'prefix, state'), legend: '{{prefix}} {{state}}' },
  { title: 'Hosts without a machine', expr: most('minifleet_orphan_hosts', 'kind'), legend: '{{kind}}' },
  { title: 'Runs on hosts', expr: most('minifleet_host_jobs', 'state'), legend: '{{state}}' },
  {
    title: 'Steps that failed',
    expr: rate('minifleet_host_step_failures_total', 'step, reason'),
    legend: '{{step}} {{reason}}',
  },
  { title: 'Rolls that are halted', expr: most('minifleet_roll_halted', 'fleet'), legend: '{{fleet}}' },
  {
    title: 'Calls to the vendor',
    expr: rate('minifleet_vendor_requests_total', 'call, outcome'),
    legend: '{{call}} {{outcome}}',
  },
  { title: 'Pods that stay Terminating', expr: most('minifleet_pods_terminating', 'cause'), legend: '{{cause}}' },
  {
    title: 'Until core’s kubeconfig ends',
    expr: `${most('minifleet_kubeconfig_expiry_timestamp_seconds', 'cluster')} - time()`,
    legend: '{{cluster}}',
    unit: 's',
  },
];

export const runnersPanels: readonly Panel[] = [
  { title: 'Runners wanted', expr: most('tuist_runners_pool_wanted_replicas', 'pool'), legend: '{{pool}}' },
  { title: 'Idle', expr: most('tuist_runners_pool_idle_replicas', 'pool'), legend: '{{pool}}' },
  { title: 'Busy', expr: most('tuist_runners_pool_busy_replicas', 'pool'), legend: '{{pool}}' },
  { title: 'Jobs that wait', expr: most('tuist_runners_autoscaler_queued_jobs', 'pool'), legend: '{{pool}}' },
  { title: 'Ends', expr: rate('tuist_runners_pool_ends_total', 'pool, outcome'), legend: '{{pool}} {{outcome}}' },
  {
    title: 'Oldest runner that is not online',
    expr: most('tuist_runners_pool_oldest_pending_pod_age_seconds', 'pool'),
    legend: '{{pool}}',
    unit: 's',
  },
  {
    title: 'Calls to the forge',
    expr: rate('tuist_runners_forge_requests_total', 'call, outcome'),
    legend: '{{call}} {{outcome}}',
  },
  {
    title: 'Nodes that take runners',
    expr: most('tuist_runners_fleet_ready_nodes', 'fleet_selector'),
    legend: '{{fleet_selector}}',
  },
];

const COLUMNS = 2;
const SIZE = { w: 12, h: 8 };

export const dashboard = (title: string, panels: readonly Panel[]): object => ({
  title,
  uid: title.toLowerCase().replaceAll(' ', '-'),
  schemaVersion: 39,
  time: { from: 'now-6h', to: 'now' },
  refresh: '1m',
  templating: { list: [{ name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
  panels: panels.map((panel, index) => ({
    id: index + 1,
    title: panel.title,
    type: 'timeseries',
    datasource: { type: 'prometheus', uid: '${source}' },
    gridPos: { ...SIZE, x: (index % COLUMNS) * SIZE.w, y: Math.floor(index / COLUMNS) * SIZE.h },
    fieldConfig: { defaults: { unit: panel.unit ?? 'short' }, overrides: [] },
    targets: [{ refId: 'A', expr: panel.expr, legendFormat: panel.legend }],
  })),
});

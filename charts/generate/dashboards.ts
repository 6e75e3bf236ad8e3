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
    title: 'Macs: desired and Ready',
    expr: most('minifleet_fleet_replicas', 'fleet, state'),
    legend: '{{fleet}} {{state}}',
  },
  {
    title: 'Machines by phase and reason',
    expr: 'count by (phase, reason) (max by (namespace, machine, phase, reason) (minifleet_machine_phase == 1))',
    legend: '{{phase}} {{reason}}',
  },
  { title: 'Hosts by state', expr: most('minifleet_pool_hosts', 'pool, state'), legend: '{{pool}} {{state}}' },
  { title: 'Hosts without a machine', expr: 'max(minifleet_orphan_hosts)', legend: 'hosts' },
  {
    title: 'Servers that nothing manages',
    expr: most('minifleet_unmanaged_servers', 'zone'),
    legend: '{{zone}}',
  },
  { title: 'Host jobs by state', expr: most('minifleet_host_jobs', 'state'), legend: '{{state}}' },
  {
    title: 'Failed steps',
    expr: rate('minifleet_host_step_failures_total', 'step, reason'),
    legend: '{{step}} {{reason}}',
  },
  { title: 'Halted rollouts', expr: most('minifleet_roll_halted', 'fleet'), legend: '{{fleet}}' },
  {
    title: 'Vendor requests',
    expr: rate('minifleet_vendor_requests_total', 'call, outcome'),
    legend: '{{call}} {{outcome}}',
  },
  { title: 'Pods stuck in Terminating', expr: most('minifleet_pods_terminating', 'cause'), legend: '{{cause}}' },
  {
    title: 'Lifetime of the Cluster API kubeconfig',
    expr: `${most('minifleet_kubeconfig_expiry_timestamp_seconds', 'cluster')} - time()`,
    legend: '{{cluster}}',
    unit: 's',
  },
];

export const runnersPanels: readonly Panel[] = [
  { title: 'Desired runners', expr: most('tuist_runners_pool_wanted_replicas', 'pool'), legend: '{{pool}}' },
  { title: 'Idle runners', expr: most('tuist_runners_pool_idle_replicas', 'pool'), legend: '{{pool}}' },
  { title: 'Busy runners', expr: most('tuist_runners_pool_busy_replicas', 'pool'), legend: '{{pool}}' },
  { title: 'Queued jobs', expr: most('tuist_runners_autoscaler_queued_jobs', 'pool'), legend: '{{pool}}' },
  {
    title: 'Ended runners by outcome',
    expr: rate('tuist_runners_pool_ends_total', 'pool, outcome'),
    legend: '{{pool}} {{outcome}}',
  },
  {
    title: 'Age of the oldest runner that is not online',
    expr: most('tuist_runners_pool_oldest_pending_pod_age_seconds', 'pool'),
    legend: '{{pool}}',
    unit: 's',
  },
  {
    title: 'GitHub requests',
    expr: rate('tuist_runners_forge_requests_total', 'call, outcome'),
    legend: '{{call}} {{outcome}}',
  },
  {
    title: 'Nodes available for runners',
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

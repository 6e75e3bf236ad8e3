import { type Alert, runbookOf } from '@minifleet/kube';
import { alerts } from '@minifleet/provider/testing/observe';
import { runnersAlerts } from '@minifleet/runners/testing/observe';
import { stringify } from 'yaml';

/** Renders config/prometheus: one rule file per program, as Prometheus loads it. The `spec` of a PrometheusRule has the same format. */
export const alertRules = (): [string, string][] => [
  ['config/prometheus/minifleet-rules.yaml', file('minifleet', 'packages/provider/observe/alerts.ts', alerts)],
  [
    'config/prometheus/minifleet-runners-rules.yaml',
    file('minifleet-runners', 'packages/runners/observe/alerts.ts', runnersAlerts),
  ],
];

const file = (group: string, source: string, all: readonly Alert[]): string =>
  `# Generated from ${source} by npm run generate. Do not edit.\n${stringify(
    { groups: [{ name: group, rules: all.map(rule) }] },
    { lineWidth: 0 },
  )}`;

const rule = (alert: Alert) => ({
  alert: alert.name,
  expr: alert.expr,
  for: alert.for,
  labels: { severity: alert.severity },
  annotations: { summary: alert.summary, description: alert.description, runbook_url: runbookOf(alert) },
});

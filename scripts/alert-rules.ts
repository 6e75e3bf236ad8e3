import { stringify } from 'yaml';
import { type Alert, alerts, runbookOf } from '../packages/provider/observe/alerts.ts';

const HEADER = '# Generated from packages/provider/observe/alerts.ts by npm run generate. Do not edit.\n';

/** A rule file as Prometheus loads it; the `spec` of a PrometheusRule has the same form. */
export const alertRules = (): string =>
  HEADER + stringify({ groups: [{ name: 'minifleet', rules: alerts.map(rule) }] }, { lineWidth: 0 });

const rule = (alert: Alert) => ({
  alert: alert.name,
  expr: alert.expr,
  for: alert.for,
  labels: { severity: alert.severity },
  annotations: { summary: alert.summary, description: alert.description, runbook_url: runbookOf(alert) },
});

import { parse } from 'yaml';
import type { Alert } from '../observe/alert.ts';
import type { MetricDefinition } from '../observe/metric-definition.ts';
import { promqlProblem } from './promql-problem.ts';

/** Lists metrics and labels that an alert uses and that do not exist, a sentence each. */
export function alertProblems(
  { expr, summary, description }: Alert,
  definitions: readonly MetricDefinition[],
): readonly string[] {
  const reads = readsOf(expr);
  const known = new Map(definitions.map(({ name, labels }) => [name, labels]));
  const grouped = labelsIn(expr, /\bby \(([^)]*)\)/g);
  const given = reads.flatMap(({ name }) => known.get(name) ?? []);
  const shown = labelsIn(`${summary} ${description}`, /\$labels\.(\w+)/g);
  return [
    ...(reads.length === 0 ? ['it reads no metric of ours'] : []),
    ...reads.filter(({ name }) => !known.has(name)).map(({ name }) => `there is no ${name}`),
    ...reads.flatMap(({ name, labels }) =>
      labels.filter(label => !known.get(name)?.includes(label)).map(label => `${name} has no label ${label}`),
    ),
    ...grouped.filter(label => !given.includes(label)).map(label => `nothing it reads has the label ${label}`),
    ...shown.filter(label => !grouped.includes(label)).map(label => `${label} is shown and grouped away`),
  ];
}

/** Metrics an expression reads, each with the labels it selects by. */
function readsOf(expr: string): { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expr.matchAll(/((?:minifleet|tuist)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', selectors = '']) => ({
    name,
    labels: [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
}

/** The names in every list that the pattern finds. */
export const labelsIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, list = '']) => list.split(',').map(label => label.trim()));

/** Lists the required headings that a runbook does not have. */
export const runbookProblems = ({ name }: Alert, page: string): readonly string[] =>
  [`# ${name}`, '## Meaning', '## Diagnose', '## Fix', '## Resolved when']
    .filter(heading => !page.split('\n').includes(heading))
    .map(heading => `it has no heading ${heading}`);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
}

/** Lists the rules of a file that Prometheus would not load, and the alerts that are missing in the file. */
export function ruleFileProblems(text: string, alerts: readonly Alert[]): readonly string[] {
  const { groups } = parse(text) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
  const rules = groups.flatMap(group => group.rules);
  const missing = alerts.filter(({ name }) => rules.filter(({ alert }) => alert === name).length !== 1);
  return [
    ...missing.map(({ name }) => `${name} is not there once`),
    ...rules.filter(rule => !/^\d+[smhd]$/.test(rule.for)).map(({ alert }) => `${alert} has no time`),
    ...rules
      .filter(({ labels }) => !/^(critical|warning|info)$/.test(labels.severity))
      .map(({ alert }) => `${alert} has no severity`),
    ...rules
      .map(({ alert, expr }) => ({ alert, problem: promqlProblem(expr) }))
      .filter(({ problem }) => problem !== undefined)
      .map(({ alert, problem }) => `${alert} ${problem}`),
  ];
}

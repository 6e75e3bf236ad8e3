/** One alert. `runbookOf` returns the path of its runbook. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  /** Time that the expression must hold, in Prometheus format. */
  readonly for: string;
  readonly severity: 'critical' | 'warning' | 'info';
  readonly summary: string;
  readonly description: string;
}

/** `MachineStuck` → `docs/runbooks/machine-stuck.md`. */
export const runbookOf = ({ name }: Alert): string =>
  `docs/runbooks/${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.md`;

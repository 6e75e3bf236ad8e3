/** One alert. What to do about it is in `runbookOf` its name. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  /** How long it must hold, as Prometheus writes it. */
  readonly for: string;
  readonly severity: 'critical' | 'warning' | 'info';
  readonly summary: string;
  readonly description: string;
}

/** `MachineStuck` → `docs/runbooks/machine-stuck.md`. */
export const runbookOf = ({ name }: Alert): string =>
  `docs/runbooks/${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.md`;

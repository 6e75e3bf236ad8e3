/** Result of a benchmark: a table, and the same figures as JSON. */
export interface Report {
  /** Subject, environment and method; printed above the table. */
  readonly header: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Printed as one line of JSON after everything else. */
  readonly figures: object;
}

/** Prints the current step on stderr; stdout has only the report. */
export type Progress = (text: string) => void;

/** `argv` is the rest of the command line after the name of the benchmark. */
export type Benchmark = (progress: Progress, argv: readonly string[]) => Promise<Report>;

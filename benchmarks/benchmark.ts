/** What a benchmark gives back: a table for people and the same figures for programs. */
export interface Report {
  /** What was measured, on what, and how; printed above the table. */
  readonly header: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Printed as one line of JSON after everything else. */
  readonly figures: object;
}

/** Says on stderr what is being measured now, so that stdout keeps to the report. */
export type Progress = (text: string) => void;

/** `words` are what stands behind the benchmark's name on the command line; most take none. */
export type Benchmark = (progress: Progress, words: readonly string[]) => Promise<Report>;

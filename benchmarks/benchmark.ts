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

export type Benchmark = (progress: Progress) => Promise<Report>;

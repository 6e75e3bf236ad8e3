import { type Diagnosis, healthy, unknown } from '../diagnosis/diagnosis.ts';

/** What is wrong, why that matters, and the command that helps. */
export interface DoctorFinding {
  readonly what: string;
  readonly matters: string;
  readonly fix: string;
}

export interface CheckResult {
  readonly check: string;
  /** Said when nothing is wrong. */
  readonly well: string;
  /** Lists that could not be read, and why. What is judged by them is judged by their gaps, too: then nothing is. */
  readonly unreadable: readonly (string | undefined)[];
  /** Single things that could not be looked at; the others are judged. */
  readonly hidden?: readonly string[];
  readonly findings: readonly DoctorFinding[];
}

/** A row for each finding, else one that says that all is well, or that nobody knows. */
export function toDiagnoses({ check, well: words, unreadable, hidden = [], findings }: CheckResult): Diagnosis[] {
  const gaps = [...new Set(unreadable.filter(why => why !== undefined))];
  if (gaps.length > 0) return [unknown(check, gaps.join('; '))];
  const problems = findings.map(
    ({ what, matters, fix }): Diagnosis => ({ check, state: 'problem', words: what, matters, fix }),
  );
  const rows = [...problems, ...hidden.map(why => unknown(check, why))];
  return rows.length > 0 ? rows : [healthy(check, words)];
}

/** `3 hosts`, `1 host`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

import { type Diagnosis, healthy, unknown } from '../diagnosis/diagnosis.ts';
import { type ExitCode, exitCode } from '../exit.ts';

/** Problem with its effect and the command that fixes it. */
export interface DoctorFinding {
  readonly what: string;
  readonly impact: string;
  readonly fix: string;
}

interface CheckResult {
  readonly check: string;
  /** Message if there is no finding. */
  readonly ok: string;
  /** Reasons why lists could not be read. A check with an unreadable list has no result, because gaps would look like findings. */
  readonly unreadable: readonly (string | undefined)[];
  /** Single objects that could not be read. The check still judges the others. */
  readonly unreadableItems?: readonly string[];
  readonly findings: readonly DoctorFinding[];
}

/** Returns one row for each finding, or else one row that is ok or unknown. */
export function toDiagnoses({ check, ok, unreadable, unreadableItems = [], findings }: CheckResult): Diagnosis[] {
  const gaps = [...new Set(unreadable.filter(why => why !== undefined))];
  if (gaps.length > 0) return [unknown(check, gaps.join('; '))];
  const problems = findings.map(
    ({ what, impact, fix }): Diagnosis => ({ check, state: 'problem', message: what, impact, fix }),
  );
  const rows = [...problems, ...unreadableItems.map(why => unknown(check, why))];
  return rows.length > 0 ? rows : [healthy(check, ok)];
}

/** A problem takes precedence over a check that could not run. */
export function exitCodeOf(found: readonly Diagnosis[]): ExitCode {
  if (found.some(({ state }) => state === 'problem')) return exitCode.differs;
  return found.some(({ state }) => state === 'unknown') ? exitCode.failed : exitCode.done;
}

/** `3 hosts`, `1 host`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

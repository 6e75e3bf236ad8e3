/** One thing a doctor looked at. */
export interface Diagnosis {
  readonly check: string;
  readonly state: 'well' | 'problem' | 'unknown';
  readonly words: string;
  /** Why it matters: what goes wrong, or will. */
  readonly matters?: string;
  /** What to do about it, as a command to type where there is one. */
  readonly fix?: string;
}

export const healthy = (check: string, words: string): Diagnosis => ({ check, state: 'well', words });

export const problem = (check: string, words: string, fix: string): Diagnosis => ({
  check,
  state: 'problem',
  words,
  fix,
});

export const unknown = (check: string, words: string): Diagnosis => ({ check, state: 'unknown', words });

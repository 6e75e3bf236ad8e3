/** A problem in one line of the inventory. */
export interface InventoryProblem {
  readonly line: number;
  /** Names the host and what to write. */
  readonly words: string;
}

export const problemWords = (problems: readonly InventoryProblem[]): string =>
  problems.map(({ line, words }) => `line ${line}: ${words}`).join('; ');

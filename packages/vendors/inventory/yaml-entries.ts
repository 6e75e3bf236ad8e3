import { isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { InventoryProblem } from './inventory-problem.ts';

/** One item of the list, not validated. */
interface YamlEntry {
  readonly line: number;
  readonly value: unknown;
}

interface YamlEntries {
  readonly entries: readonly YamlEntry[];
  /** Problems of the whole text; then there are no entries. */
  readonly problems: readonly InventoryProblem[];
}

/** Returns the items of a YAML list with their lines. Empty text is an empty list. */
export function yamlEntries(text: string): YamlEntries {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineOf = (offset: number | undefined): number => Math.max(1, lines.linePos(offset ?? 0).line);
  const unusable = (offset: number, words: string): YamlEntries => ({
    entries: [],
    problems: [{ line: lineOf(offset), words }],
  });
  const [error] = document.errors;
  if (error) return unusable(error.pos[0], error.message);
  let data: unknown;
  try {
    data = document.toJS();
  } catch (unresolved) {
    // Unresolved aliases are detected only here.
    return unusable(0, (unresolved as Error).message);
  }
  if (data === null || data === undefined) return { entries: [], problems: [] };
  const { contents } = document;
  if (!isSeq<Node>(contents)) return unusable(0, 'not a list; start every host with "- name: …"');
  const values = data as readonly unknown[];
  const entries = contents.items.map((item, index) => ({ line: lineOf(item.range?.[0]), value: values[index] }));
  return { entries, problems: [] };
}

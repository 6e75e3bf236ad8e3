import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

export type YamlPath = readonly (string | number)[];

/** Parsed YAML with source positions. */
interface YamlText {
  readonly data: unknown;
  /** Syntax errors with their positions. */
  readonly problems: readonly { readonly place: SourcePosition; readonly words: string }[];
  /** Position of a field; for a missing field, that of its parent. */
  placeOf(path: YamlPath): SourcePosition;
  valueAt(path: YamlPath): unknown;
}

export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

export function readYaml(text: string): YamlText {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const placeAt = (offset: number): SourcePosition => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const problems = document.errors.map(({ pos, message }) => ({ place: placeAt(pos[0]), words: message }));
  const { data, unresolved } = problems.length > 0 ? { data: undefined } : dataOf(document);
  return {
    data,
    problems: unresolved === undefined ? problems : [{ place: placeAt(0), words: unresolved }],
    placeOf: path => placeAt(offsetOf(document, path)),
    valueAt: path =>
      path.reduce<unknown>((value, key) => (value as Readonly<Record<string | number, unknown>> | null)?.[key], data),
  };
}

/** Unresolved aliases are detected only here. */
function dataOf(document: Document): { readonly data: unknown; readonly unresolved?: string } {
  try {
    return { data: document.toJS() ?? {} };
  } catch (error) {
    return { data: undefined, unresolved: error instanceof Error ? error.message : String(error) };
  }
}

function offsetOf(document: Document, path: YamlPath): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find(item => isScalar(item.key) && item.key.value === key);
      if (!pair) break;
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(key)];
      offset = (item as { readonly range?: readonly number[] | null } | undefined)?.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

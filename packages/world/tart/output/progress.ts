import type { Chance } from '../../chance.ts';
import type { TartCall } from '../tart-call.ts';

/** Prints `N%` lines when the whole number changes. */
export class ProgressPrinter {
  readonly #call: TartCall;
  readonly #total: number;
  #done = 0;
  #shown = -1;

  constructor(call: TartCall, total: number) {
    this.#call = call;
    this.#total = total;
  }

  add(bytes: number): void {
    this.#done += bytes;
    const percent = this.#total === 0 ? 100 : Math.min(100, Math.floor((this.#done / this.#total) * 100));
    if (percent === this.#shown) return;
    this.#shown = percent;
    this.#call.out(`${percent}%`);
  }
}

/** A plain padded table. Without rows there is one empty line. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map(row => (row[column] ?? '').length)),
  );
  return [headings, ...rows]
    .map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' '))
    .join('\n');
}

/** `3 minutes ago`: format of the access date in the text list. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  const units: readonly (readonly [number, string])[] = [
    [365 * 86_400, 'year'],
    [30 * 86_400, 'month'],
    [7 * 86_400, 'week'],
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ];
  const [size, word] = units.find(([unit]) => seconds >= unit) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${word}${count === 1 ? '' : 's'} ago`;
}

type TartJson = string | number | boolean | readonly TartJson[] | { readonly [key: string]: TartJson };

/**
 * JSON in the format of Foundation's pretty printer: `"Key" : value`, slashes escaped, keys unordered, an empty array
 * over three lines.
 */
export function swiftJson(value: TartJson, chance: Chance, indent = ''): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('/', '\\/');
  if (typeof value !== 'object') return `${value}`;
  const inner = `${indent}  `;
  if (isList(value)) {
    const items = value.map(item => `${inner}${swiftJson(item, chance, inner)}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  const members = shuffled(Object.entries(value), chance).map(
    ([key, item]) => `${inner}"${key}" : ${swiftJson(item, chance, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

const isList = (value: TartJson): value is readonly TartJson[] => Array.isArray(value);

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(chance.integer(left.length), 1));
}

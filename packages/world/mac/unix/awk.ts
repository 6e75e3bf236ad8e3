import type { Program } from '../mac.ts';
import { parseOptions, refuseForm } from './getopt.ts';
import { extendedToJavaScript } from './grep.ts';
import { linesOf, readOperands } from './paths.ts';

/**
 * Only `[/re/ | NR==n | $n == "text"] { print [exprs] [; exit] }` with -F, which is what scripts use. Anything else is
 * recorded as unmodelled.
 */
const PROGRAM =
  /^\s*(?:\/((?:[^/\\]|\\.)*)\/|NR\s*==\s*(\d+)|\$(\d+)\s*==\s*"([^"]*)")?\s*(?:\{\s*print\s*([^;{}]*?)\s*(;\s*exit\s*;?)?\s*\})?\s*$/;

export const awk: Program = async run => {
  const options = parseOptions(run, {
    letters: 'F:v:',
    usage: 'awk [-F fs][-v var=value][prog | -f progfile][file ...]',
  });
  if (typeof options === 'number') return options;
  const [program = '', ...paths] = options.operands;
  const found = PROGRAM.exec(program);
  const items = found ? itemsOf(found[5] ?? '') : undefined;
  if (!found || !items || options.has('v') || program.trim() === '') return refuseForm(run, 'syntax error');
  const { texts, failed } = await readOperands(run, paths);
  const separator = options.has('F') ? separatorOf(options.value('F') ?? '') : undefined;
  const lines = texts.flatMap(({ content }) => linesOf(content));
  for (const [index, line] of lines.entries()) {
    const fields = fieldsOf(line, separator);
    if (!selects(found, { line, number: index + 1, fields })) continue;
    const value = (item: string): string => itemValue(item, { line, number: index + 1, fields });
    run.out(`${items.length > 0 ? items.map(group => group.map(value).join('')).join(' ') : line}\n`);
    if (found[6]) break;
  }
  return failed ? 2 : 0;
};

interface AwkRecord {
  readonly line: string;
  readonly number: number;
  readonly fields: readonly string[];
}

const separatorOf = (text: string): RegExp =>
  text.length === 1 ? new RegExp(text === ' ' ? '\\s+' : RegExp.escape(text)) : new RegExp(extendedToJavaScript(text));

const fieldsOf = (line: string, separator: RegExp | undefined): string[] =>
  separator ? line.split(separator) : line.trim().split(/\s+/);

function selects([, pattern, row, field, text]: RegExpExecArray, { line, number, fields }: AwkRecord): boolean {
  if (pattern !== undefined) return new RegExp(extendedToJavaScript(pattern)).test(line);
  if (row !== undefined) return Number(row) === number;
  return field === undefined || (fields[Number(field) - 1] ?? '') === text;
}

/** Comma-separated groups of adjacent fields and texts; undefined for any other expression. */
function itemsOf(text: string): string[][] | undefined {
  if (text === '') return [];
  const groups = (text.match(/(?:"[^"]*"|[^,"])+/g) ?? []).map(
    group => group.match(/"[^"]*"|\$NF|\$\d+|NR|NF|\S+/g) ?? [],
  );
  const known = groups.flat().every(item => /^("[^"]*"|\$NF|\$\d+|NR|NF)$/.test(item));
  return known ? groups : undefined;
}

function itemValue(item: string, { line, number, fields }: AwkRecord): string {
  if (item.startsWith('"')) return item.slice(1, -1).replaceAll('\\t', '\t').replaceAll('\\n', '\n');
  if (item === 'NR') return String(number);
  if (item === 'NF') return String(fields.length);
  if (item === '$NF') return fields.at(-1) ?? '';
  return item === '$0' ? line : (fields[Number(item.slice(1)) - 1] ?? '');
}

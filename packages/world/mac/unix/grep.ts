import type { Program, Run } from '../mac.ts';
import { type ParsedOptions, parseOptions, refuseForm } from './getopt.ts';
import { linesOf, readOperands } from './paths.ts';

/** Converts a basic regular expression to an extended one by swapping escaped and unescaped operators. */
export function basicToExtended(basic: string): string {
  return basic.replace(/\[\]?[^\]]*\]|\\([\s\S])|[(){}|+?]/g, (whole, escaped: string | undefined) => {
    if (whole.startsWith('[')) return whole;
    if (escaped === undefined) return `\\${whole}`;
    return '(){}|+?'.includes(escaped) ? escaped : whole;
  });
}

const CLASSES: Readonly<Record<string, string>> = {
  space: '\\s',
  digit: '0-9',
  alpha: 'A-Za-z',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  xdigit: '0-9A-Fa-f',
  blank: ' \\t',
  punct: '!-\\/:-@[-`{-~',
};

/** Converts POSIX classes and word boundaries to JavaScript; the rest is the same. */
export const extendedToJavaScript = (extended: string): string =>
  extended
    .replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole)
    .replace(/\\[<>]/g, '\\b')
    .replace(/\[([^\]]*)\[([^\]]*)\]/g, (_, before: string, after: string) => `[${before}\\[${after}]`)
    .replace(/\\([/"'%@~,:;=#&!-])/g, '$1')
    .replace(/^\*/, '\\*');

export const grep: Program = async run => {
  const options = parseOptions(run, {
    letters: 'qcnvEFixolshHe:rRwm:',
    usage: 'grep [-abcdDEFGHhIiJLlMmnOopqRSsUVvwXxZz] [pattern] [file ...]',
    usageCode: 2,
    permute: true,
  });
  if (typeof options === 'number') return options;
  if (options.has('r') || options.has('R') || options.has('m')) return refuseForm(run);
  const [first, ...rest] = options.operands;
  const pattern = options.value('e') ?? first;
  if (pattern === undefined) {
    run.err('usage: grep [-abcdDEFGHhIiJLlMmnOopqRSsUVvwXxZz] [pattern] [file ...]\n');
    return 2;
  }
  const paths = options.has('e') ? options.operands : rest;
  const expression = compile(options, pattern, nameIs(run, 'egrep'));
  const { texts, failed } = await readOperands(options.has('s') ? { ...run, err: () => undefined } : run, paths);
  let found = 0;
  for (const { path, content } of texts)
    found += printMatches(run, options, {
      expression,
      path: texts.length > 1 || options.has('H') ? path : undefined,
      name: path,
      content,
    });
  if (failed && found === 0) return 2;
  return found > 0 ? 0 : 1;
};

const nameIs = (run: Run, name: string): boolean => run.argv[0]?.endsWith(name) ?? false;

function compile(options: ParsedOptions, pattern: string, extended: boolean): RegExp {
  const parts = pattern.split('\n').map(part => {
    if (options.has('F')) return RegExp.escape(part);
    return extendedToJavaScript(options.has('E') || extended ? part : basicToExtended(part));
  });
  const whole = parts
    .map(part => (options.has('x') ? `^(?:${part})$` : options.has('w') ? `\\b(?:${part})\\b` : part))
    .join('|');
  return new RegExp(whole, options.has('i') ? 'gi' : 'g');
}

interface GrepInput {
  readonly expression: RegExp;
  /** Printed before each line if there are several files. */
  readonly path: string | undefined;
  readonly name: string | undefined;
  readonly content: Buffer;
}

function printMatches(run: Run, options: ParsedOptions, { expression, path, name, content }: GrepInput): number {
  const prefix = path === undefined || options.has('h') ? '' : `${path}:`;
  const hits = linesOf(content).flatMap((line, index) => {
    const matches = line.match(expression);
    if ((matches !== null) === options.has('v')) return [];
    const number = options.has('n') ? `${index + 1}:` : '';
    return [(options.has('o') ? (matches ?? []) : [line]).map(text => `${prefix}${number}${text}\n`).join('')];
  });
  if (options.has('q')) return hits.length;
  if (options.has('c')) run.out(`${prefix}${hits.length}\n`);
  else if (options.has('l')) run.out(hits.length > 0 ? `${name ?? '(standard input)'}\n` : '');
  else run.out(hits.join(''));
  return hits.length;
}

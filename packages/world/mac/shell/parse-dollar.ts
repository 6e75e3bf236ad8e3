import { parseListUntil } from './parse.ts';
import { type Parts, parseWord } from './parse-word.ts';
import { Source } from './source.ts';
import type { ParameterChange, Word, WordPart } from './syntax.ts';

/** `$name`, `${name…}`, `$(…)`, `$((…))` and backquotes. A lone dollar is itself. */
export function parseDollar(source: Source, parts: Parts, quoted: boolean): void {
  if (source.accept('`')) parseBackquotes(source, parts, quoted);
  else if (source.accept('$((')) {
    parts.list.push({ type: 'arithmetic', expression: parseArithmetic(source), quoted });
  } else if (source.accept('$(')) {
    const body = parseListUntil(source, [')']);
    if (!source.accept(')')) source.fail('$(');
    parts.list.push({ type: 'substitution', body, quoted });
  } else if (source.accept('${')) parts.list.push({ type: 'parameter', quoted, ...parseBraces(source) });
  else {
    const found = source.match(/\$([A-Za-z_][A-Za-z0-9_]*|[0-9?$#@*!-])/);
    if (!found) {
      parts.text(source.take(), quoted);
      return;
    }
    source.take(found[0].length);
    parts.list.push({ type: 'parameter', name: found[1] ?? '', quoted });
  }
}

const PARENTHESES: ReadonlySet<string> = new Set(['(', ')', '']);

/** Parentheses may nest in arithmetic: the expression goes on to the `))` that matches. */
function parseArithmetic(source: Source): Word {
  const parts: WordPart[] = [];
  for (let depth = 0; ; ) {
    parts.push(...(parseWord(source, PARENTHESES)?.parts ?? []));
    if (depth === 0 && source.accept('))')) return { parts };
    if (source.done || (depth === 0 && source.peek() === ')')) source.fail('$((');
    depth += source.peek() === '(' ? 1 : -1;
    parts.push({ type: 'text', text: source.take(), quoted: true });
  }
}

function parseBackquotes(source: Source, parts: Parts, quoted: boolean): void {
  const found = source.match(/((?:[^`\\]|\\[\s\S])*)`/);
  if (!found) source.fail('`');
  source.take(found[0].length);
  const inner = new Source((found[1] ?? '').replace(/\\([$`\\])/g, '$1'), source.line);
  parts.list.push({ type: 'substitution', body: parseListUntil(inner, []), quoted });
}

interface Braces {
  readonly name: string;
  readonly change?: ParameterChange;
}

const NOTHING: Word = { parts: [] };

function parseBraces(source: Source): Braces {
  const length = source.match(/#([A-Za-z_][A-Za-z0-9_]*(?:\[[@*]\])?|[0-9@*])\}/);
  if (length) {
    source.take(length[0].length);
    return { name: (length[1] ?? '').replace(/\[\*\]$/, '[@]'), change: { operator: 'length', word: NOTHING } };
  }
  const found = source.match(/[A-Za-z_][A-Za-z0-9_]*(?:\[[@*]\])?|[0-9]+|[?$#@*!-]/);
  if (!found) return source.unmodelled(`\${${source.match(/[^}]*/)?.[0] ?? ''}}`);
  const name = source.take(found[0].length).replace(/\[\*\]$/, '[@]');
  if (source.accept('}')) return { name };
  const operator = source.match(/:[-=?+]|[-=?+]|##?|%%?|\/\/?/)?.[0] as ParameterChange['operator'] | undefined;
  if (!operator) return source.unmodelled(`\${${name}${source.match(/[^}]*/)?.[0] ?? ''}}`);
  source.take(operator.length);
  const replaces = operator === '/' || operator === '//';
  const word = parseWord(source, new Set(replaces ? ['/', '}', ''] : ['}', ''])) ?? NOTHING;
  const replacement = replaces && source.accept('/') ? parseWord(source, new Set(['}', ''])) : undefined;
  if (!source.accept('}')) source.fail('${');
  return { name, change: { operator, word, ...(replacement && { replacement }) } };
}

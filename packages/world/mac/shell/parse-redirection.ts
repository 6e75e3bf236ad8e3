import { literal, parseHereBody, parseWord, plainText } from './parse-word.ts';
import type { Source } from './source.ts';
import type { Redirection, Word } from './syntax.ts';

const OPERATOR = /([0-9]?)(<<<|<<-|<<|<&|>>|>&|>\||<>|<|>)|(&>>|&>)/;

/** A redirection at the current place, if one starts here. */
export function parseRedirection(source: Source): Redirection | undefined {
  if (source.match(/[<>]\(/)) source.unmodelled('process substitution');
  const found = source.match(OPERATOR);
  if (!found) return undefined;
  source.take(found[0].length);
  const [, digit, plain, both] = found;
  const operator = plain ?? both ?? '';
  const descriptor = digit ? Number(digit) : operator.startsWith('<') ? 0 : 1;
  if (descriptor > 2 || operator === '<>') source.unmodelled(found[0]);
  if (/^<<-?$/.test(operator)) return parseHere(source, operator === '<<-');
  source.skipBlanks();
  const target = parseWord(source) ?? source.fail();
  if (operator === '<<<')
    return { descriptor: 0, kind: 'here', target: { parts: [...target.parts.map(quote), ...literal('\n').parts] } };
  // csh's way to say both, which zsh and bash take too: >&file.
  if (operator === '>&' && !/^[0-9-]$/.test(plainText(target)?.text ?? ''))
    return { descriptor: 1, kind: '&>', target };
  return { descriptor, kind: operator === '>|' ? '>' : (operator as Redirection['kind']), target };
}

const quote = (part: Word['parts'][number]): Word['parts'][number] => ({ ...part, quoted: true });

function parseHere(source: Source, stripTabs: boolean): Redirection {
  source.skipBlanks();
  const { line } = source;
  const word = parseWord(source) ?? source.fail();
  const delimiter = plainText(word) ?? source.fail();
  // The body comes after the line's end; until then the target is empty.
  const redirection = { descriptor: 0, kind: 'here' as const, target: literal('') };
  source.expectHere({
    delimiter: delimiter.text,
    stripTabs,
    take: body => {
      redirection.target = delimiter.quoted ? literal(body) : parseHereBody(body, line + 1);
    },
  });
  return redirection;
}

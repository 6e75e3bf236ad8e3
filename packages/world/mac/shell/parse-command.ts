import { parseCompound } from './parse-compound.ts';
import { literal, parseHereBody, parseWord, plainText } from './parse-word.ts';
import type { ScriptSource } from './source.ts';
import type { Redirection, ShellCommand, VariableAssignment, Word } from './syntax.ts';

/** Parses one command: compound, a function, or a simple one with its assignments and redirections. */
export function parseCommand(source: ScriptSource): ShellCommand {
  const { line } = source;
  const body = parseCompound(source);
  if (body) return { ...body, line, redirections: parseRedirections(source) };
  const assignments: VariableAssignment[] = [];
  const words: Word[] = [];
  const redirections: Redirection[] = [];
  for (source.skipBlanks(); !source.done; source.skipBlanks()) {
    const redirection = parseRedirection(source);
    if (redirection) {
      redirections.push(redirection);
      continue;
    }
    const assignment = words.length === 0 ? parseAssignment(source) : undefined;
    if (assignment) {
      assignments.push(assignment);
      continue;
    }
    const word = parseWord(source);
    if (!word) break;
    words.push(word);
  }
  if (assignments.length + words.length + redirections.length === 0) source.fail();
  return { type: 'simple', line, assignments, words, redirections };
}

function parseRedirections(source: ScriptSource): Redirection[] {
  const redirections: Redirection[] = [];
  source.skipBlanks();
  for (let next = parseRedirection(source); next; next = parseRedirection(source)) {
    redirections.push(next);
    source.skipBlanks();
  }
  return redirections;
}

function parseAssignment(source: ScriptSource): VariableAssignment | undefined {
  const found = source.match(/([A-Za-z_][A-Za-z0-9_]*)(\+?)=/);
  if (!found) return undefined;
  source.take(found[0].length);
  const [, name = '', plus] = found;
  const append = plus === '+';
  if (source.peek() === '(') return { name, append, value: { parts: [] }, array: parseArray(source) };
  return { name, append, value: parseWord(source) ?? { parts: [] } };
}

function parseArray(source: ScriptSource): Word[] {
  source.take();
  const words: Word[] = [];
  for (source.skipLines(); source.peek() !== ')'; source.skipLines()) {
    const word = parseWord(source);
    if (!word) source.fail('(');
    words.push(word);
  }
  source.take();
  return words;
}

const OPERATOR = /([0-9]?)(<<<|<<-|<<|<&|>>|>&|>\||<>|<|>)|(&>>|&>)/;

/** Parses a redirection at the current position, if one starts here. */
function parseRedirection(source: ScriptSource): Redirection | undefined {
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
  // csh's syntax for both streams, which zsh and bash also accept: >&file.
  if (operator === '>&' && !/^[0-9-]$/.test(plainText(target)?.text ?? ''))
    return { descriptor: 1, kind: '&>', target };
  return { descriptor, kind: operator === '>|' ? '>' : (operator as Redirection['kind']), target };
}

const quote = (part: Word['parts'][number]): Word['parts'][number] => ({ ...part, quoted: true });

function parseHere(source: ScriptSource, stripTabs: boolean): Redirection {
  source.skipBlanks();
  const { line } = source;
  const word = parseWord(source) ?? source.fail();
  const delimiter = plainText(word) ?? source.fail();
  // The body follows the end of the line; until then the target is empty.
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

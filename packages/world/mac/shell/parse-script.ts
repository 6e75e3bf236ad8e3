import { parseCommand } from './parse-command.ts';
import { ScriptSource } from './source.ts';
import type { AndOr, CommandList, Pipeline, ShellCommand } from './syntax.ts';

/** Parses a whole script. Throws ShellSyntaxError. */
export function parseScript(text: string): CommandList {
  const source = new ScriptSource(text);
  const list = parseListUntil(source, []);
  if (!source.done) source.fail();
  source.finish();
  return list;
}

/** Parses a list up to one of the given reserved words or closing characters, which stays unread. */
export function parseListUntil(source: ScriptSource, ends: readonly string[]): CommandList {
  const items: AndOr[] = [];
  for (source.skipLines(); !source.done && !atEnd(source, ends); source.skipLines()) {
    items.push(parseAndOr(source));
    source.skipBlanks();
    if (source.starts(';;')) break;
    if (source.accept(';') || source.peek() === '\n' || source.done || previousWasBackground(items)) continue;
    if (!atEnd(source, ends)) source.fail();
  }
  return { items };
}

const previousWasBackground = (items: readonly AndOr[]): boolean => items.at(-1)?.background === true;

const atEnd = (source: ScriptSource, ends: readonly string[]): boolean =>
  ends.some(end => (/^[a-z]/.test(end) || end === '}' ? atReserved(source, end) : source.starts(end)));

/** A reserved word must be followed by a separator. */
export const atReserved = (source: ScriptSource, word: string): boolean =>
  source.starts(word) &&
  /^[\s;&|()<>]?$/.test(source.text.slice(source.position + word.length, source.position + word.length + 1));

function parseAndOr(source: ScriptSource): AndOr {
  const first = parsePipeline(source);
  const rest: { operator: '&&' | '||'; pipeline: Pipeline }[] = [];
  for (source.skipBlanks(); source.starts('&&') || source.starts('||'); source.skipBlanks()) {
    const operator = source.take(2) as '&&' | '||';
    source.skipLines();
    rest.push({ operator, pipeline: parsePipeline(source) });
  }
  const background = source.peek() === '&' && source.accept('&');
  return { first, rest, background };
}

function parsePipeline(source: ScriptSource): Pipeline {
  source.skipBlanks();
  const negated = atReserved(source, '!');
  if (negated) source.take();
  const commands: ShellCommand[] = [];
  do {
    source.skipLines();
    commands.push(parseCommand(source));
    source.skipBlanks();
  } while (acceptPipe(source));
  return { negated, commands };
}

function acceptPipe(source: ScriptSource): boolean {
  if (source.starts('||') || !source.starts('|')) return false;
  if (source.starts('|&')) source.unmodelled('|&');
  return source.accept('|');
}

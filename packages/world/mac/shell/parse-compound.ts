import { parseCommand } from './parse-command.ts';
import { atReserved, parseListUntil } from './parse-script.ts';
import { parseWord } from './parse-word.ts';
import type { ScriptSource } from './source.ts';
import type { CaseClause, CommandList, CompoundBody, Word } from './syntax.ts';

/** Words that cannot begin a command. */
const CLOSING = ['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}', ')', ';'];

/** Reserved words of zsh and bash that are valid there and not modelled here. */
const UNBUILT = ['select', 'coproc', 'repeat', 'foreach', 'nocorrect', 'time'];

/** Parses a compound command at the current position, without its redirections. Undefined if none starts here. */
export function parseCompound(source: ScriptSource): CompoundBody | undefined {
  for (const word of UNBUILT) if (atReserved(source, word)) source.unmodelled(word);
  for (const word of CLOSING) if (atReserved(source, word)) source.fail(word);
  if (source.starts('((')) return parseArithmetic(source);
  if (source.accept('(')) return { type: 'subshell', body: closed(source, ')') };
  if (atReserved(source, '{')) {
    source.take();
    return { type: 'group', body: closed(source, '}') };
  }
  if (atReserved(source, '[[')) return parseTest(source);
  if (acceptReserved(source, 'if')) return parseIf(source);
  if (acceptReserved(source, 'for')) return parseFor(source);
  if (acceptReserved(source, 'while')) return parseWhile(source, false);
  if (acceptReserved(source, 'until')) return parseWhile(source, true);
  if (acceptReserved(source, 'case')) return parseCase(source);
  return parseFunction(source);
}

function acceptReserved(source: ScriptSource, word: string): boolean {
  if (!atReserved(source, word)) return false;
  source.take(word.length);
  return true;
}

function expectReserved(source: ScriptSource, word: string): void {
  source.skipLines();
  if (!acceptReserved(source, word)) source.fail();
}

function closed(source: ScriptSource, end: string): CommandList {
  const body = parseListUntil(source, [end]);
  if (!source.accept(end)) source.fail();
  return body;
}

function parseArithmetic(source: ScriptSource): CompoundBody {
  const found = source.match(/\(\(([^\n]*?)\)\)/);
  if (!found) source.fail('((');
  source.take(found[0].length);
  return { type: 'arithmetic command', expression: { parts: [{ type: 'text', text: found[1] ?? '', quoted: true }] } };
}

const IN_TEST = new Set([' ', '\t', '\n', '']);

function parseTest(source: ScriptSource): CompoundBody {
  source.take(2);
  const words: Word[] = [];
  for (source.skipLines(); !atReserved(source, ']]'); source.skipLines()) {
    if (source.done) source.fail('[[');
    words.push(parseWord(source, IN_TEST) ?? source.fail());
  }
  source.take(2);
  return { type: 'test', words };
}

function parseIf(source: ScriptSource): CompoundBody {
  const branches: { condition: CommandList; body: CommandList }[] = [];
  do {
    const condition = parseListUntil(source, ['then']);
    expectReserved(source, 'then');
    branches.push({ condition, body: parseListUntil(source, ['elif', 'else', 'fi']) });
  } while (acceptReserved(source, 'elif'));
  const otherwise = acceptReserved(source, 'else') ? parseListUntil(source, ['fi']) : undefined;
  expectReserved(source, 'fi');
  return { type: 'if', branches, ...(otherwise && { otherwise }) };
}

function loopBody(source: ScriptSource): CommandList {
  source.skipBlanks();
  source.accept(';');
  expectReserved(source, 'do');
  const body = parseListUntil(source, ['done']);
  expectReserved(source, 'done');
  return body;
}

function parseFor(source: ScriptSource): CompoundBody {
  source.skipBlanks();
  const name = source.match(/[A-Za-z_][A-Za-z0-9_]*/)?.[0];
  if (!name) return source.unmodelled('for ((…))');
  source.take(name.length);
  source.skipLines();
  if (!acceptReserved(source, 'in')) return { type: 'for', name, body: loopBody(source) };
  const words: Word[] = [];
  source.skipBlanks();
  for (let word = parseWord(source); word; word = parseWord(source)) {
    words.push(word);
    source.skipBlanks();
  }
  return { type: 'for', name, words, body: loopBody(source) };
}

function parseWhile(source: ScriptSource, until: boolean): CompoundBody {
  const condition = parseListUntil(source, ['do']);
  return { type: 'while', until, condition, body: loopBody(source) };
}

function parseCase(source: ScriptSource): CompoundBody {
  source.skipBlanks();
  const subject = parseWord(source) ?? source.fail();
  expectReserved(source, 'in');
  const clauses: CaseClause[] = [];
  for (source.skipLines(); !atReserved(source, 'esac'); source.skipLines()) {
    const patterns = parsePatterns(source);
    const body = parseListUntil(source, [';;', 'esac']);
    clauses.push({ patterns, body });
    if (!source.accept(';;')) break;
  }
  expectReserved(source, 'esac');
  return { type: 'case', subject, clauses };
}

function parsePatterns(source: ScriptSource): Word[] {
  source.accept('(');
  const patterns: Word[] = [];
  do {
    source.skipBlanks();
    patterns.push(parseWord(source) ?? source.fail());
    source.skipBlanks();
  } while (source.accept('|'));
  if (!source.accept(')')) source.fail();
  return patterns;
}

function parseFunction(source: ScriptSource): CompoundBody | undefined {
  const found = source.match(/function[ \t]+([\w-]+)[ \t]*(?:\(\))?|([\w-]+)[ \t]*\([ \t]*\)/);
  const name = found?.[1] ?? found?.[2];
  if (!found || !name) return undefined;
  source.take(found[0].length);
  source.skipLines();
  return { type: 'function', name, body: parseCommand(source) };
}

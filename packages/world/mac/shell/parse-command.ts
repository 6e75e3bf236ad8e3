import { parseCompound } from './parse-compound.ts';
import { parseRedirection } from './parse-redirection.ts';
import { parseWord } from './parse-word.ts';
import type { Source } from './source.ts';
import type { Assignment, Command, Redirection, Word } from './syntax.ts';

/** One command: compound, a function, or a simple one with its assignments and redirections. */
export function parseCommand(source: Source): Command {
  const { line } = source;
  const body = parseCompound(source);
  if (body) return { ...body, line, redirections: parseRedirections(source) };
  const assignments: Assignment[] = [];
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

function parseRedirections(source: Source): Redirection[] {
  const redirections: Redirection[] = [];
  source.skipBlanks();
  for (let next = parseRedirection(source); next; next = parseRedirection(source)) {
    redirections.push(next);
    source.skipBlanks();
  }
  return redirections;
}

function parseAssignment(source: Source): Assignment | undefined {
  const found = source.match(/([A-Za-z_][A-Za-z0-9_]*)(\+?)=/);
  if (!found) return undefined;
  source.take(found[0].length);
  const [, name = '', plus] = found;
  const append = plus === '+';
  if (source.peek() === '(') return { name, append, value: { parts: [] }, array: parseArray(source) };
  return { name, append, value: parseWord(source) ?? { parts: [] } };
}

function parseArray(source: Source): Word[] {
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

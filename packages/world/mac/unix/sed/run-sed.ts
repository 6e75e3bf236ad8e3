import type { SedAddress, SedCommand } from './parse-sed.ts';

interface SedLine {
  readonly number: number;
  readonly last: boolean;
}

/** Runs the commands over the lines of a text. BSD sed adds a missing newline at the end. */
export function runSed(commands: readonly SedCommand[], text: string, quiet: boolean): string {
  const lines = text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const ranges = new Map<SedCommand, boolean>();
  const out: string[] = [];
  for (const [index, line] of lines.entries()) {
    const result = runLine(commands, line, { number: index + 1, last: index === lines.length - 1, ranges });
    out.push(...result.before);
    if (!quiet && !result.deleted) out.push(result.space);
    out.push(...result.after);
    if (result.quit) break;
  }
  return out.map(line => `${line}\n`).join('');
}

interface SedLineResult {
  space: string;
  readonly before: string[];
  readonly after: string[];
  deleted: boolean;
  quit: boolean;
}

function runLine(
  commands: readonly SedCommand[],
  line: string,
  at: SedLine & { readonly ranges: Map<SedCommand, boolean> },
): SedLineResult {
  const result: SedLineResult = { space: line, before: [], after: [], deleted: false, quit: false };
  for (const command of commands) {
    if (applies(command, result.space, at) === command.negated) continue;
    act(command.action, result, at);
    if (result.deleted || result.quit) break;
  }
  return result;
}

function act(action: SedCommand['action'], result: SedLineResult, { number }: SedLine): void {
  switch (action.type) {
    case 'p':
      result.before.push(result.space);
      break;
    case '=':
      result.before.push(String(number));
      break;
    case 'd':
      result.deleted = true;
      break;
    case 'q':
      result.quit = true;
      break;
    case 'i':
      result.before.push(action.text);
      break;
    case 'a':
      result.after.push(action.text);
      break;
    case 'c':
      result.before.push(action.text);
      result.deleted = true;
      break;
    case 's': {
      const before = result.space;
      result.space = substitute(before, action);
      if (action.print && result.space !== before) result.before.push(result.space);
    }
  }
}

function substitute(
  text: string,
  { pattern, replacement, nth }: Extract<SedCommand['action'], { readonly type: 's' }>,
): string {
  let count = 0;
  return text.replace(pattern, (...parts: (string | number)[]) => {
    count += 1;
    if (nth > 0 && count !== nth) return String(parts[0]);
    return replacement.replace(
      /\\(\d)|\\n|\\([\s\S])|&/g,
      (whole, group: string | undefined, plain: string | undefined) => {
        if (group !== undefined) return String(parts[Number(group)] ?? '');
        if (whole === '\\n') return '\n';
        return plain ?? String(parts[0]);
      },
    );
  });
}

/** A range starts at its first address and ends at its second, which is checked from the next line on. */
function applies(
  command: SedCommand,
  space: string,
  at: SedLine & { readonly ranges: Map<SedCommand, boolean> },
): boolean {
  if (!command.from) return true;
  if (!command.to) return hits(command.from, space, at);
  if (at.ranges.get(command)) {
    const past = 'line' in command.to && at.number >= command.to.line;
    if (past || hits(command.to, space, at)) at.ranges.set(command, false);
    return !('line' in command.to) || at.number <= command.to.line;
  }
  if (!hits(command.from, space, at)) return false;
  at.ranges.set(command, !('line' in command.to && command.to.line <= at.number));
  return true;
}

function hits(address: SedAddress, space: string, at: SedLine): boolean {
  if ('line' in address) return address.line === at.number;
  return 'last' in address ? at.last : address.matches.test(space);
}

import { asWritten } from '../../files/walk.ts';
import type { Mac } from '../../mac.ts';
import { root, type User } from '../../user.ts';
import { isAdministrator } from '../accounts.ts';
import { parseSudoers, type SudoRule } from './parse-sudoers.ts';

export interface ReadSudoers {
  readonly rules: readonly SudoRule[];
  /** What sudo says about files it leaves out. */
  readonly warnings: readonly string[];
  /** A syntax error anywhere: sudo runs nothing any more. */
  readonly broken: string | undefined;
}

/** Derived: sudoers must be read-only; newer sudo only minds one that others can write, visudo -c still wants 0440. */
const ALLOWED_MODE = 0o440;

/** /etc/sudoers and what it includes. A file in sudoers.d with a dot or a tilde in its name is not read. */
export function readSudoers(mac: Mac): ReadSudoers {
  const rules: SudoRule[] = [];
  const warnings: string[] = [];
  const todo = ['/etc/sudoers'];
  for (let path = todo.shift(); path !== undefined; path = todo.shift()) {
    const problem = problemWith(mac, path);
    if (problem) {
      warnings.push(problem);
      continue;
    }
    const parsed = parseSudoers(mac.files.read(root, path).toString());
    const [error] = parsed.errors;
    if (error) return { rules: [], warnings, broken: describe(path, error) };
    rules.push(...parsed.rules);
    for (const directory of parsed.includeDirectories) todo.push(...filesIn(mac, asWritten(directory)));
  }
  return { rules, warnings, broken: undefined };
}

export const describe = (
  path: string,
  error: { readonly line: number; readonly column: number; readonly text: string },
): string => `${path}:${error.line}:${error.column}: syntax error\n${error.text}\n${' '.repeat(error.column - 1)}^\n`;

function filesIn(mac: Mac, directory: string): string[] {
  if (!mac.files.exists(root, directory)) return [];
  const names = mac.files.list(root, directory).filter(name => !name.includes('.') && !name.endsWith('~'));
  return names.map(name => `${directory}/${name}`);
}

function problemWith(mac: Mac, path: string): string | undefined {
  const { mode, uid } = mac.files.stat(root, path);
  if (uid !== 0) return `sudo: ${path} is owned by uid ${uid}, should be 0\n`;
  if ((mode & ~ALLOWED_MODE) !== 0) return `sudo: ${path} is mode 0${mode.toString(8)}, should be 0440\n`;
  return undefined;
}

/** The last rule that fits counts, as in sudoers(5). */
export function ruleFor(
  rules: readonly SudoRule[],
  user: User,
  wanted: { readonly as: User; readonly command: string },
): SudoRule | undefined {
  return rules.findLast(
    rule =>
      isWho(rule.who, user) &&
      rule.runAs.some(name => name === 'ALL' || name === wanted.as.name) &&
      rule.commands.some(
        command => command === 'ALL' || wanted.command === command || wanted.command.startsWith(`${command} `),
      ),
  );
}

/**
 * Whether `sudo -v` asks for nothing: only if every rule that fits the user says so (`verifypw=all`, the default of
 * sudoers(5)). An administrator of a Mac is always asked: the stock rule for %admin wants a password.
 */
export function validatesFreely(rules: readonly SudoRule[], user: User): boolean {
  const fitting = rules.filter(rule => isWho(rule.who, user));
  return fitting.length > 0 && fitting.every(rule => rule.withoutPassword);
}

function isWho(who: string, user: User): boolean {
  if (who === 'ALL' || who === user.name || who === `#${user.uid}`) return true;
  return who === `%${user.group}` || (who === '%admin' && isAdministrator(user));
}

import { errorMessage } from '../../files/file-system.ts';
import { asWritten } from '../../files/resolve-path.ts';
import { type Mac, type Program, root, type User } from '../../mac.ts';
import { parseOptions, refuseForm } from '../getopt.ts';
import { isAdministrator } from '../ownership.ts';
import { resolve } from '../paths.ts';

interface ReadSudoers {
  readonly rules: readonly SudoRule[];
  /** Warnings of sudo about files it ignores. */
  readonly warnings: readonly string[];
  /** Set on any syntax error: sudo then runs no command. */
  readonly broken: string | undefined;
}

/**
 * Derived: sudoers must be read-only. Newer sudo only rejects one that others can write; visudo -c still requires 0440.
 */
const ALLOWED_MODE = 0o440;

/** Reads /etc/sudoers and its includes. A file in sudoers.d with a dot or a tilde in its name is ignored. */
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

const describe = (
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

/** The last matching rule applies, as in sudoers(5). */
export function ruleFor(
  rules: readonly SudoRule[],
  user: User,
  request: { readonly as: User; readonly command: string },
): SudoRule | undefined {
  return rules.findLast(
    rule =>
      isWho(rule.who, user) &&
      rule.runAs.some(name => name === 'ALL' || name === request.as.name) &&
      rule.commands.some(
        command => command === 'ALL' || request.command === command || request.command.startsWith(`${command} `),
      ),
  );
}

/**
 * Returns true if `sudo -v` requires no password: only if every rule of the user allows it (`verifypw=all`, the default
 * of sudoers(5)). An administrator of a Mac always needs one: the stock rule for %admin requires a password.
 */
export function validatesFreely(rules: readonly SudoRule[], user: User): boolean {
  const fitting = rules.filter(rule => isWho(rule.who, user));
  return fitting.length > 0 && fitting.every(rule => rule.withoutPassword);
}

function isWho(who: string, user: User): boolean {
  if (who === 'ALL' || who === user.name || who === `#${user.uid}`) return true;
  return who === `%${user.group}` || (who === '%admin' && isAdministrator(user));
}

/** visudo -c: checks one file with -f, ignoring owner and mode, or all files that sudo reads. */
export const visudo: Program = run => {
  const options = parseOptions(run, { letters: 'cqsf:OP', usage: 'visudo [-chqsV] [[-f] sudoers ]' });
  if (typeof options === 'number') return options;
  if (!options.has('c')) return refuseForm(run);
  const path = options.value('f') ?? options.operands[0];
  const say = (text: string): void => {
    if (!options.has('q')) run.out(text);
  };
  if (path === undefined) {
    const { broken, warnings } = readSudoers(run.mac);
    for (const warning of warnings) run.err(warning.replace('sudo:', 'visudo:'));
    if (broken) run.err(broken);
    else say('/etc/sudoers: parsed OK\n');
    return broken || warnings.length > 0 ? 1 : 0;
  }
  try {
    const [error] = parseSudoers(run.mac.files.read(run.user, resolve(run, path)).toString()).errors;
    if (error) run.err(describe(path, error));
    else say(`${path}: parsed OK\n`);
    return error ? 1 : 0;
  } catch (error) {
    run.err(`visudo: unable to open ${path}: ${errorMessage(error)}\n`);
    return 1;
  }
};

/** One rule: the user, the commands, and the target users. */
interface SudoRule {
  /** A user, `%group`, `#uid` or ALL. */
  readonly who: string;
  readonly runAs: readonly string[];
  readonly commands: readonly string[];
  readonly withoutPassword: boolean;
}

interface SudoersError {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

interface Sudoers {
  readonly rules: readonly SudoRule[];
  readonly includeDirectories: readonly string[];
  readonly errors: readonly SudoersError[];
}

const SPEC =
  /^(\S+)\s+(\S+)\s*=\s*(?:\(([^)]*)\)\s*)?((?:(?:NOPASSWD|PASSWD|SETENV|NOSETENV|NOEXEC|EXEC)\s*:\s*)*)(\S[^:=]*)$/;

/**
 * Parses the parts of sudoers(5) that fleets use: rules, Defaults, includedir. Aliases are ignored. Anything else is a
 * syntax error.
 */
function parseSudoers(text: string): Sudoers {
  const rules: SudoRule[] = [];
  const includeDirectories: string[] = [];
  const errors: SudoersError[] = [];
  const lines = text.replace(/\\\n/g, '  ').split('\n');
  for (const [index, line] of lines.entries()) {
    const include = /^\s*[#@]includedir\s+(\S+)\s*$/.exec(line);
    if (include?.[1]) includeDirectories.push(include[1]);
    else if (!isSilent(line)) {
      const rule = parseRule(line);
      if (rule) rules.push(rule);
      else errors.push({ line: index + 1, column: columnOf(line), text: line });
    }
  }
  return { rules, includeDirectories, errors };
}

const isSilent = (line: string): boolean =>
  /^\s*(#(?!\d).*)?$|^\s*Defaults\b|^\s*(User|Runas|Host|Cmnd)_Alias\b/.test(line);

function parseRule(line: string): SudoRule | undefined {
  const found = SPEC.exec(line.replace(/\s#.*$/, '').trim());
  if (!found) return undefined;
  const [, who = '', , runAs = 'root', tags = '', commands = ''] = found;
  const list = commands.split(',').map(command => command.trim());
  if (list.some(command => command !== 'ALL' && !/^!?\//.test(command))) return undefined;
  return {
    who,
    runAs: (runAs.split(':')[0] ?? '').split(',').map(user => user.trim()),
    commands: list,
    withoutPassword: /\bNOPASSWD\b/.test(tags),
  };
}

/** End of the second word, approximately where the real parser stops. */
const columnOf = (line: string): number => (/^\s*\S+\s+\S+/.exec(line)?.[0].length ?? 0) + 1;

/** One rule: who may run what as whom. */
export interface SudoRule {
  /** A user, `%group`, `#uid` or ALL. */
  readonly who: string;
  readonly runAs: readonly string[];
  readonly commands: readonly string[];
  readonly withoutPassword: boolean;
}

export interface SudoersError {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export interface Sudoers {
  readonly rules: readonly SudoRule[];
  readonly includeDirectories: readonly string[];
  readonly errors: readonly SudoersError[];
}

const SPEC =
  /^(\S+)\s+(\S+)\s*=\s*(?:\(([^)]*)\)\s*)?((?:(?:NOPASSWD|PASSWD|SETENV|NOSETENV|NOEXEC|EXEC)\s*:\s*)*)(\S[^:=]*)$/;

/** Reads sudoers(5) as far as fleets use it: rules, Defaults, includedir; aliases are read over. Anything else is a syntax error. */
export function parseSudoers(text: string): Sudoers {
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

/** Where the second word ends: about where the real parser stops. */
const columnOf = (line: string): number => (/^\s*\S+\s+\S+/.exec(line)?.[0].length ?? 0) + 1;

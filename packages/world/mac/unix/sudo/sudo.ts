import { type Program, type Run, root, type User } from '../../mac.ts';
import { findExecutable, runProgram } from '../../processes/run-program.ts';
import { refuseForm } from '../getopt.ts';
import { findUser } from '../ownership.ts';
import { checkPassword } from './password.ts';
import { readSudoers, ruleFor, validatesFreely } from './read-sudoers.ts';
import { readSudoCall, type SudoCall } from './sudo-call.ts';

const TRIES = 3;

export const sudo: Program = async run => {
  const call = readSudoCall(run.argv);
  if (typeof call === 'string') return refuseForm(run, call);
  const target = call.user === undefined ? root : findUser(call.user.replace(/^#/, ''));
  if (!target) {
    run.err(`sudo: unknown user ${call.user ?? ''}\n`);
    return 1;
  }
  if (call.forget && !call.validate && call.command.length === 0) return 0;
  if (!(await isAllowed(run, call, target))) return 1;
  if (call.command.length === 0) return call.validate || call.list ? 0 : usage(run);
  return runAs(run, call, target);
};

function usage(run: Run): number {
  run.err(
    'usage: sudo -h | -K | -k | -V\nusage: sudo [-ABbEHnPS] [-u user] [VAR=value] [-i | -s] [command [arg ...]]\n',
  );
  return 1;
}

/** The rules decide whether a password is required; root never needs one. */
async function isAllowed(run: Run, call: SudoCall, target: User): Promise<boolean> {
  const sudoers = readSudoers(run.mac);
  for (const warning of sudoers.warnings) run.err(warning);
  if (sudoers.broken) {
    run.err(
      `${sudoers.broken}sudo: no valid sudoers sources found, quitting\nsudo: error initializing audit plugin sudoers_audit\n`,
    );
    return false;
  }
  if (run.user.uid === 0) return true;
  const rule = ruleFor(sudoers.rules, run.user, { as: target, command: call.command.join(' ') });
  if (call.validate ? validatesFreely(sudoers.rules, run.user) : rule?.withoutPassword) return true;
  if (!(await hasPassword(run, call))) return false;
  if (rule) return true;
  run.err(`${run.user.name} is not in the sudoers file.\nThis incident has been reported to the administrator.\n`);
  return false;
}

async function hasPassword(run: Run, call: SudoCall): Promise<boolean> {
  if (call.never) {
    run.err('sudo: a password is required\n');
    return false;
  }
  if (!call.fromStdin) {
    run.err(
      'sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper\nsudo: a password is required\n',
    );
    return false;
  }
  for (let wrong = 0; wrong < TRIES; wrong++) {
    run.err(call.prompt ?? 'Password:');
    const line = await run.stdin.readLine();
    if (line === undefined) {
      run.err(`\nsudo: no password was provided\n${wrong > 0 ? incorrect(wrong) : 'sudo: a password is required\n'}`);
      return false;
    }
    if (checkPassword(run.mac, run.user, line)) return true;
    if (wrong < TRIES - 1) run.err('Sorry, try again.\n');
  }
  run.err(incorrect(TRIES));
  return false;
}

const incorrect = (count: number): string => `sudo: ${count} incorrect password attempt${count === 1 ? '' : 's'}\n`;

/** The stock sudoers of macOS keep these variables. HOME stays the caller's, unlike on other systems. */
const KEPT =
  /^(PATH|HOME|MAIL|TERM|SHELL|LANG|LC_.*|TZ|DISPLAY|SSH_AUTH_SOCK|EDITOR|VISUAL|BLOCKSIZE|LINES|COLUMNS|LSCOLORS)$/;

function runAs(run: Run, call: SudoCall, target: User): Promise<number> | number {
  const kept = Object.entries(run.environment).filter(([name]) => call.keepEnvironment || KEPT.test(name));
  const environment: Record<string, string> = {
    ...Object.fromEntries(kept),
    ...call.variables,
    ...(call.setHome && { HOME: target.home }),
    USER: target.name,
    LOGNAME: target.name,
    SUDO_USER: run.user.name,
    SUDO_UID: String(run.user.uid),
    SUDO_GID: String(run.user.gid),
    SUDO_COMMAND: call.command.join(' '),
  };
  const directory = call.login ? target.home : run.directory;
  const request = {
    ...run,
    argv: call.command,
    user: target,
    environment,
    directory,
    out: { write: run.out },
    err: { write: run.err },
  };
  run.mac.around.journal.add(
    `mac/${run.mac.options.name}`,
    'sudo',
    `${run.user.name} as ${target.name}: ${call.command.join(' ')}`,
  );
  const found = findExecutable(run.mac, request);
  if ('program' in found) return runProgram(run.mac, found, request);
  if ('killed' in found) return 137;
  const [name = ''] = call.command;
  const denied = found.failure === 'permission denied' || found.failure === 'exec format error';
  run.err(denied ? `sudo: unable to execute ${name}: Permission denied\n` : `sudo: ${name}: command not found\n`);
  return 1;
}

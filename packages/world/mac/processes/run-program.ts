import { pause } from '@minifleet/clock';
import type { Fault } from '../../faults/fault-plan.ts';
import { FileError } from '../files/file-system.ts';
import type { Executable, InputStream, Mac, Program, Run, SessionType, User } from '../mac.ts';

import { executablesOf, load } from './executables.ts';
import type { OutputStream } from './pipe.ts';
import type { ExitReason } from './process-table.ts';

/** Arguments of execve and the context of the process. */
interface ProgramRequest {
  readonly argv: readonly string[];
  readonly user: User;
  readonly session: SessionType;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: InputStream;
  readonly out: OutputStream;
  readonly err: OutputStream;
  readonly signal: AbortSignal;
}

/** Reason a program cannot be executed: a shell then returns 127 or 126, launchd 78. */
export type ExecFailure = 'not found' | 'no such file' | 'permission denied' | 'exec format error';

export type ProgramLookup =
  | { readonly program: Program; readonly argv: readonly string[] }
  | { readonly failure: ExecFailure }
  | { readonly killed: ExitReason };

/** 128 + SIGKILL, the exit code in shells. */
const KILLED = 137;

export const DEFAULT_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';

/** Finds the program of argv[0] and how to run it; `#!` is resolved to the interpreter. */
export function findExecutable(
  mac: Mac,
  request: Pick<ProgramRequest, 'argv' | 'user' | 'directory' | 'environment'>,
): ProgramLookup {
  const [name = ''] = request.argv;
  const path = locate(mac, request, name);
  if (typeof path !== 'string') return path;
  const stat = mac.files.stat(request.user, path);
  const file: Executable = { path, inode: stat.inode, content: readAsKernel(mac, path) };
  for (const { refuse } of executablesOf(mac).contributions) {
    const killed = refuse?.(file);
    if (killed) return { killed };
  }
  const loaded = load(mac, file);
  if ('program' in loaded) return { program: loaded.program, argv: request.argv };
  if ('unknown' in loaded) return { failure: 'exec format error' };
  const script = name.includes('/') ? name : path;
  const argv = [...loaded.interpreter, script, ...request.argv.slice(1)];
  const interpreter = findExecutable(mac, { ...request, argv });
  // zsh and bash name the interpreter here; both end with 127 or 126 like a missing program.
  return interpreter;
}

type ExecContext = Pick<ProgramRequest, 'user' | 'directory' | 'environment'>;

function locate(mac: Mac, around: ExecContext, name: string): string | { readonly failure: ExecFailure } {
  if (name.includes('/')) return check(mac, around, name) ?? { failure: 'no such file' };
  if (name === '') return { failure: 'not found' };
  let denied = false;
  for (const directory of (around.environment['PATH'] ?? DEFAULT_PATH).split(':')) {
    const path = check(mac, around, `${directory || '.'}/${name}`);
    if (typeof path === 'string') return path;
    denied ||= path !== undefined;
  }
  return { failure: denied ? 'permission denied' : 'not found' };
}

/** Returns the file's path if it may be executed, undefined if it does not exist. */
function check(
  mac: Mac,
  { user, directory }: ExecContext,
  name: string,
): string | { readonly failure: ExecFailure } | undefined {
  const path = name.startsWith('/') ? name : `${directory}/${name}`;
  if (!mac.files.exists(user, path)) return undefined;
  return isExecutable(mac, user, path) ? mac.files.realPath(user, path) : { failure: 'permission denied' };
}

/** Even root needs one x bit. */
export function isExecutable(mac: Mac, user: User, path: string): boolean {
  const stat = mac.files.stat(user, path);
  if (stat.type !== 'file') return false;
  if (user.uid === 0) return (stat.mode & 0o111) !== 0;
  if (user.uid === stat.uid) return (stat.mode & 0o100) !== 0;
  return (stat.mode & (user.gid === stat.gid ? 0o010 : 0o001)) !== 0;
}

const kernel: User = { name: 'root', uid: 0, gid: 0, group: 'wheel', home: '/' };

const readAsKernel = (mac: Mac, path: string): Buffer => mac.files.read(kernel, path);

/** Runs a found program. Code 128 + n means a signal, as in shells. */
export async function runProgram(
  mac: Mac,
  found: { readonly program: Program; readonly argv: readonly string[] },
  request: ProgramRequest,
): Promise<number> {
  const run: Run = {
    mac,
    argv: found.argv,
    user: request.user,
    session: request.session,
    directory: request.directory,
    environment: request.environment,
    stdin: request.stdin,
    readStdin: () => request.stdin.readAll(),
    out: text => request.out.write(text),
    err: text => request.err.write(text),
    signal: request.signal,
  };
  const place = `mac/${mac.options.name}`;
  const fault = mac.around.faults.strike({ place, kind: 'process', detail: found.argv.join(' ') });
  const ended = fault && (await suffer(fault, run));
  if (ended !== undefined) return ended;
  try {
    return await found.program(run);
  } catch (error) {
    // Its output file cannot be written: every program reports this and fails.
    if (!(error instanceof FileError)) throw error;
    run.err(`${found.argv[0]?.split('/').at(-1)}: stdout: ${error.message}\n`);
    return 1;
  }
}

/**
 * Applies a fault to a process. Returns its exit status, or undefined if it continues. A killed process returns 137.
 */
async function suffer(fault: Fault, { mac, err, signal }: Run): Promise<number | undefined> {
  switch (fault.type) {
    case 'fail':
      err(`${fault.message}\n`);
      return fault.code;
    case 'delay':
      await pause(mac.around.clock, fault.by, signal);
      return undefined;
    case 'hang':
      await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
      return KILLED;
    case 'drop':
      return KILLED;
  }
}

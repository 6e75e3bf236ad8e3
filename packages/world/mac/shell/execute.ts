import { type InputStream, type Mac, m1, type SessionType, type User } from '../mac.ts';
import { Collector, inputOf, type OutputStream } from '../processes/pipe.ts';
import { DEFAULT_PATH, findExecutable, runProgram } from '../processes/run-program.ts';

export interface ExecuteOptions {
  readonly user?: User;
  readonly session?: SessionType;
  readonly stdin?: InputStream | Buffer | string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly out?: OutputStream;
  readonly err?: OutputStream;
}

export interface ShellResult {
  readonly code: number;
  /** Empty if the caller passed its own `out`. */
  readonly out: string;
  readonly err: string;
}

/** Runs a command line like sshd: with the user's login shell, zsh, in the user's home. */
export async function execute(mac: Mac, command: string, options: ExecuteOptions = {}): Promise<ShellResult> {
  const user = options.user ?? m1;
  const out = new Collector();
  const err = new Collector();
  const { stdin = '' } = options;
  const request = {
    argv: ['zsh', '-c', command],
    user,
    session: options.session ?? 'ssh',
    directory: user.home,
    environment: { ...loginEnvironment(user), ...options.environment },
    stdin: typeof stdin === 'string' || Buffer.isBuffer(stdin) ? inputOf(stdin) : stdin,
    out: options.out ?? out,
    err: options.err ?? err,
    signal: options.signal ?? new AbortController().signal,
  };
  const found = findExecutable(mac, { ...request, argv: ['/bin/zsh'] });
  if (!('program' in found)) return { code: 1, out: '', err: '/bin/zsh: No such file or directory\n' };
  const code = await runProgram(mac, { program: found.program, argv: request.argv }, request);
  return { code, out: out.toString(), err: err.toString() };
}

/** Environment that sshd sets before it starts the shell; no profile is read for a command. */
export const loginEnvironment = (user: User): Record<string, string> => ({
  HOME: user.home,
  LOGNAME: user.name,
  USER: user.name,
  SHELL: '/bin/zsh',
  PATH: DEFAULT_PATH,
});

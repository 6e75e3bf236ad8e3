/** Entry point of a program. Imports nothing: the supervisor of a VM starts through it and stays small. */

export interface MainProcess {
  readonly argv: readonly string[];
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  exitCode?: number | string | null | undefined;
  once(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown;
  exit(): unknown;
}

type RunCommand = (argv: readonly string[], signal: AbortSignal) => Promise<void>;

export interface ProgramMain {
  /** Name of the executable. */
  readonly program: string;
  readonly version: string;
  readonly help: () => Promise<string>;
  readonly run: RunCommand;
  /** Subcommands, by their first argument. They handle `--help` themselves. */
  readonly commands?: Readonly<Record<string, RunCommand>>;
  /** Signals that stop the program (default: SIGINT and SIGTERM). */
  readonly signals?: readonly ('SIGINT' | 'SIGTERM' | 'SIGHUP')[];
  /** Ends the process when the work ends, even if sockets are open. */
  readonly exit?: boolean;
}

const FAILED = 1;

/**
 * Runs a program until it ends or a signal stops it. A failure is printed to stderr with the program's name, and the exit code is
 * 1. A program that a signal stops has not failed.
 */
export async function runMain(current: MainProcess, options: ProgramMain): Promise<void> {
  const { program, version, help, run, commands = {}, exit = false } = options;
  const argv = current.argv.slice(2);
  const command = commands[argv[0] ?? ''];
  if (argv.includes('--version')) return void current.stdout.write(`${program} ${version}\n`);
  if (!command && argv.includes('--help')) return void current.stdout.write(await help());
  await untilStopped(current, options, signal => (command ? command(argv.slice(1), signal) : run(argv, signal)));
  if (exit) current.exit();
}

async function untilStopped(
  current: MainProcess,
  { program, signals = ['SIGINT', 'SIGTERM'] }: ProgramMain,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  for (const name of signals) current.once(name, () => stop.abort());
  try {
    await work(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return;
    current.stderr.write(`${program}: ${error instanceof Error ? error.message : String(error)}\n`);
    current.exitCode = FAILED;
  }
}

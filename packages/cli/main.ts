import { homedir, hostname, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { systemClock } from '@minifleet/clock';
import { type CliContext, type ExtraCommands, runCli } from './cli.ts';
import { terminalPrompts } from './terminal/prompts.ts';

interface CliMainOptions extends Pick<CliContext, 'fallbackKubeconfig'> {
  readonly extraCommands?: ExtraCommands;
}

/** Runs the process's command line on the real terminal, clock and environment, and sets the exit code. */
export async function main({ extraCommands, ...options }: CliMainOptions = {}): Promise<void> {
  const { NO_COLOR, XDG_STATE_HOME } = process.env;
  const home = homedir();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort(name));
  const context: CliContext = {
    ...options,
    clock: systemClock,
    output: process.stdout,
    errors: process.stderr,
    input: process.stdin,
    prompts: process.stdin.isTTY && process.stderr.isTTY ? terminalPrompts(process.stdin, process.stderr) : undefined,
    signal: stop.signal,
    colours: !NO_COLOR,
    environment: process.env,
    home,
    stateDirectory: join(XDG_STATE_HOME || join(home, '.local', 'state'), 'minifleet'),
    calledAs: basename(process.argv[1] ?? '').startsWith('kubectl-') ? 'kubectl minifleet' : 'minifleet',
    who: `${userInfo().username}@${hostname()}`,
  };
  process.exitCode = await runCli(process.argv.slice(2), context, extraCommands);
}

/** Starts a program that cannot outlive this process, with its output in a file or forwarded line by line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Watchdog } from './watchdog.ts';

type ProcessExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type StartedProcess = {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  readonly running: boolean;
  signal(signal: NodeJS.Signals): void;
};

export type ProcessOptions = {
  argv: readonly [string, ...string[]];
  environment: Readonly<Record<string, string | undefined>>;
  watchdog: Watchdog;
  directory?: string;
  output: { readonly appendTo: string } | { readonly eachLine: (line: string) => void };
};

// The program waits at a gate until the watchdog has its pid. If this process dies before that, the gate reads the end
// of the pipe and exits.
const GATE = 'read -r opened && exec "$@" </dev/null';

export async function startProcess(options: ProcessOptions): Promise<StartedProcess> {
  const { watchdog, output } = options;
  const log = 'appendTo' in output ? await open(output.appendTo, 'a', 0o600) : undefined;
  const child = spawnBehindGate(options, log?.fd ?? 'pipe');
  // Piped output may arrive after the exit; a file already has it.
  const ended = once(child, log === undefined ? 'close' : 'exit');
  const exited = ended.then(async () => {
    await watchdog.free(child.pid ?? 0).catch(() => {});
    return { code: child.exitCode, signal: child.signalCode };
  });
  // Also handled here, because the caller never sees the exit if starting fails.
  exited.catch(() => {});
  await once(child, 'spawn');
  await log?.close();
  await openGate(child, watchdog);
  // A running cluster must not keep its parent process alive. Open output streams do keep it alive.
  if (log !== undefined) child.unref();
  return {
    pid: child.pid ?? 0,
    exited,
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    signal: name => void child.kill(name),
  };
}

function spawnBehindGate({ argv, environment, directory, output }: ProcessOptions, to: number | 'pipe'): ChildProcess {
  const child = spawn('/bin/sh', ['-c', GATE, 'gate', ...argv], {
    detached: true,
    env: environment,
    stdio: ['pipe', to, to],
    ...(directory === undefined ? {} : { cwd: directory }),
  });
  // If the gate has already exited, its exit code explains why.
  child.stdin?.on('error', () => {});
  if ('eachLine' in output) {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', output.eachLine);
    }
  }
  return child;
}

async function openGate(child: ChildProcess, watchdog: Watchdog): Promise<void> {
  try {
    await watchdog.hold(child.pid ?? 0);
    child.stdin?.end('open\n');
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

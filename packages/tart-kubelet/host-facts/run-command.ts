import { execFile } from 'node:child_process';
import { type Duration, seconds } from '@minifleet/clock';

interface CommandResult {
  /** Undefined when it could not be started, was killed, or did not end in time. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command by its name on PATH. Never throws: a command that is missing or hangs is a result, too. */
export type Run = (argv: readonly [string, ...string[]]) => Promise<CommandResult>;

interface RunOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly within?: Duration;
}

/** Commands of this machine. What does not end within its time is killed, so that a probe cannot pile up processes. */
export function createRun({ environment, within = seconds(10) }: RunOptions): Run {
  return ([command, ...rest]) =>
    new Promise(resolve => {
      const options = { env: environment, timeout: within, killSignal: 'SIGKILL' as const, maxBuffer: 4 * 1024 * 1024 };
      execFile(command, rest, options, (error, stdout, stderr) => {
        const code = error ? error.code : 0;
        resolve({ exitCode: typeof code === 'number' ? code : undefined, stdout, stderr });
      });
    });
}

import { execFile } from 'node:child_process';
import { type Duration, seconds } from '@minifleet/clock';

interface LocalCommandResult {
  /** Undefined if the command could not be started, was killed, or timed out. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command by its name on PATH. Never throws: a missing or hanging command is a result as well. */
export type RunLocalCommand = (argv: readonly [string, ...string[]]) => Promise<LocalCommandResult>;

interface LocalCommandOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly within?: Duration;
}

/**
 * Runs commands on this machine. A command that exceeds its time is killed, so that a probe cannot pile up processes.
 */
export function createLocalCommand({ environment, within = seconds(10) }: LocalCommandOptions): RunLocalCommand {
  return ([command, ...rest]) =>
    new Promise(resolve => {
      const options = { env: environment, timeout: within, killSignal: 'SIGKILL' as const, maxBuffer: 4 * 1024 * 1024 };
      execFile(command, rest, options, (error, stdout, stderr) => {
        const code = error ? error.code : 0;
        resolve({ exitCode: typeof code === 'number' ? code : undefined, stdout, stderr });
      });
    });
}

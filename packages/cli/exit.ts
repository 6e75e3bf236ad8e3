import { CataloguedError } from '@minifleet/errors';

/** Invalid command line or spec file. Nothing was changed. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** Exit codes. Documented in docs/reference/cli.md. */
export const exitCode = {
  done: 0,
  /** The command failed. The last lines name the cause and the next action. */
  failed: 1,
  /** The command line or a spec file is invalid. Nothing was changed. */
  usage: 2,
  /** The command succeeded and found a difference or a problem, like `diff`. */
  differs: 3,
  /** The user interrupted the command; the shell's code for Ctrl-C. */
  stopped: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Sets the exit code of a command that succeeds with a code other than `done`. */
export type Finish = (code: ExitCode) => void;

/** Returns the message of an error, with its code if it is a catalogued error, so that users can search for the code. */
export function errorText(error: unknown): string {
  if (error instanceof CataloguedError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}

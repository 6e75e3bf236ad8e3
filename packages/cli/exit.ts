import { CataloguedError } from '@minifleet/errors';

/** What the user wrote cannot be used, on the command line or in a spec file; nothing was done. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** What the shell is told. Documented in docs/reference/cli.md. */
export const exitCode = {
  done: 0,
  /** Something failed; the last lines say what and what to do. */
  failed: 1,
  /** The command line or a spec file is wrong; nothing was done. */
  usage: 2,
  /** It went well, and the host is not as wanted: as `diff` tells that files differ. */
  differs: 3,
  /** The user stopped it, as a shell reports Ctrl-C. */
  stopped: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** How a command tells what the shell is to be told, when that is more than "done". */
export type Finish = (code: ExitCode) => void;

/** An error of the catalogue with its code: what to search for. */
export function errorText(error: unknown): string {
  if (error instanceof CataloguedError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}

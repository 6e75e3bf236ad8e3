/** What the shell is told. Documented in docs/reference/cli.md. */
export const exitCode = {
  done: 0,
  /** Something failed; the last lines say what and what to do. */
  failed: 1,
  /** The command line itself is wrong; nothing was done. */
  usage: 2,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

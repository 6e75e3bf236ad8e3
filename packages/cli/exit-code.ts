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

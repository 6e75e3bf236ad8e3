/** How a command ended, as a v1.Status: what kubectl turns into its own exit code. */

export type CommandResult = { readonly exitCode: number } | { readonly failure: string };

export function statusOf(result: CommandResult): object {
  if ('failure' in result) {
    return { metadata: {}, status: 'Failure', message: result.failure, reason: 'InternalError', code: 500 };
  }
  if (result.exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: messageOfExit(result.exitCode),
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(result.exitCode) }] },
  };
}

/** For protocols older than v4, which know only a text: none is success. */
export function textOf(result: CommandResult): string {
  if ('failure' in result) return result.failure;
  return result.exitCode === 0 ? '' : messageOfExit(result.exitCode);
}

const messageOfExit = (exitCode: number): string =>
  `command terminated with non-zero exit code: exit status ${exitCode}`;

/** Runs `ip`. Errors name what is missing. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hostNetworkUnavailable } from '../errors.ts';

export async function ip(...argv: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('ip', argv);
    return stdout;
  } catch (error) {
    throw explain(argv, error);
  }
}

export function explain(argv: readonly string[], error: unknown): Error {
  if (!(error instanceof Error)) return hostNetworkUnavailable(String(error), 'See the cause.');
  if ('code' in error && error.code === 'ENOENT') {
    return hostNetworkUnavailable('the ip command is missing', 'Install iproute2 (apt-get install iproute2).', error);
  }
  const message = 'stderr' in error ? String(error.stderr).trim() : error.message;
  if (/not permitted|permission denied/i.test(message)) {
    const next = 'Run as root, or with the capabilities NET_ADMIN and SYS_ADMIN.';
    return hostNetworkUnavailable('this process lacks the permissions for network namespaces', next, error);
  }
  return hostNetworkUnavailable(
    `"ip ${argv.join(' ')}" failed: ${message}`,
    'Check that the kernel supports veth.',
    error,
  );
}

import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '@minifleet/kube';
import { ADDRESS_IN_PROCESS, type GuestProcess, type Share } from '../../guests/guest.ts';
import { expand } from './environment.ts';

/** Where the guest sees a share of the host. */
export const SHARES_IN_GUEST = '/Volumes/My Shared Files';
const ENVIRONMENT_SHARE = 'env';

interface EnvironmentFiles {
  readonly variables: ReadonlyMap<string, string>;
  /** Volume name by the path the Pod asked for. */
  readonly mounts: ReadonlyMap<string, string>;
}

/**
 * The read-only share `env`: `environment` (`KEY=value`, NUL between, as it is), `tuist.env` (a line each, line breaks
 * written as `\n` and `\r`, for images made for the agent before this one; they read it at boot, so that what holds the guest's address is left out), and `mounts` (`<mountPath>\t<path in the guest>`).
 */
export async function writeEnvironmentShare(directory: string, files: EnvironmentFiles): Promise<Share> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const entries = [...files.variables].map(([name, value]) => `${name}=${value}`);
  const known = entries.filter(entry => !entry.includes(ADDRESS_IN_PROCESS));
  const lines = known.map(entry => `${entry.replaceAll('\r', '\\r').replaceAll('\n', '\\n')}\n`);
  const mounts = [...files.mounts].map(([mountPath, volume]) => `${mountPath}\t${SHARES_IN_GUEST}/${volume}\n`);
  await replace(path.join(directory, 'environment'), entries.join('\0'));
  await replace(path.join(directory, 'tuist.env'), lines.join(''));
  await replace(path.join(directory, 'mounts'), mounts.join(''));
  return { name: ENVIRONMENT_SHARE, path: directory, readOnly: true };
}

async function replace(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

type Container = NonNullable<Pod['spec']>['containers'][number];

export const hasProcess = ({ command = [], args = [] }: Container): boolean => command.length + args.length > 0;

/**
 * The Pod's process inside the guest. An image of a VM has no entry point: without a command (or args, which are then
 * the whole command) the VM itself is the process and ends when it halts.
 */
export function guestProcess(pod: Pod, variables: ReadonlyMap<string, string>): GuestProcess | undefined {
  const container = pod.spec?.containers[0];
  const [program, ...more] = [...(container?.command ?? []), ...(container?.args ?? [])].map(word =>
    expand(word, variables),
  );
  if (program === undefined) return undefined;
  return {
    argv: [program, ...more],
    environmentFile: `${SHARES_IN_GUEST}/${ENVIRONMENT_SHARE}/environment`,
    workingDirectory: container?.workingDir,
  };
}

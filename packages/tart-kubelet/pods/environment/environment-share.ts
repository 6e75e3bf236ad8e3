import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '@minifleet/kube';
import { ADDRESS_IN_PROCESS, type GuestProcess, type Share } from '../../guests/guest.ts';
import { expand } from './environment.ts';

/** Folder in the guest where macOS mounts host shares. */
export const SHARES_IN_GUEST = '/Volumes/My Shared Files';
const ENVIRONMENT_SHARE = 'env';

interface EnvironmentFiles {
  readonly variables: ReadonlyMap<string, string>;
  /** Volume name by requested mount path. */
  readonly mounts: ReadonlyMap<string, string>;
}

/**
 * Writes the read-only share `env`:
 * - `environment`: `KEY=value` entries, unescaped, separated by NUL.
 * - `tuist.env`: one entry per line, line breaks escaped as `
 * ` and `\r`, for images built for the previous agent. They read it at boot, so entries containing the guest's address
 * are left out.
 * - `mounts`: `<mountPath>\t<path in the guest>` per line.
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

type CommandContainer = NonNullable<Pod['spec']>['containers'][number];

export const hasProcess = ({ command = [], args = [] }: CommandContainer): boolean => command.length + args.length > 0;

/**
 * The Pod's process inside the guest. A VM image has no entry point: without a command (or args, which then form the
 * whole command), the VM itself is the process and ends when it halts.
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

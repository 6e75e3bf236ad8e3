import { spawn } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinaries, findReadyBinary, type Reporter } from '@minifleet/local-cluster';
import type { UpCluster } from './up-cluster.ts';

/** Tools that no fleet needs. They are fetched when the fleets are up, or when they are first used. */
const LATER = ['clusterctl', 'helm'] as const;
/** The second is how kubectl finds its plugin. */
const OURS = ['minifleet', 'kubectl-minifleet'] as const;
const MAIN = fileURLToPath(new URL('../../minifleet.js', import.meta.url));
const FETCH = fileURLToPath(import.meta.resolve('@minifleet/local-cluster/fetch-programs'));
const LOW_PRIORITY = 10;

/** Creates a folder for PATH with kubectl, clusterctl and helm in the versions that fit the cluster, and minifleet. */
export async function linkTools(cluster: Pick<UpCluster, 'directory'>, reporter: Reporter): Promise<string> {
  const { kubectl } = await findBinaries({ programs: ['kubectl'], reporter });
  const directory = join(cluster.directory, 'bin');
  await mkdir(directory);
  await Promise.all([
    symlink(kubectl, join(directory, 'kubectl')),
    ...LATER.map(name => linkLater(directory, name)),
    ...OURS.map(name => writeOurs(directory, name)),
  ]);
  return directory;
}

/** Links a cached tool. For another it writes a script that fetches the tool on first use, or waits for the fetch under way. */
async function linkLater(directory: string, name: (typeof LATER)[number]): Promise<void> {
  const file = join(directory, name);
  const path = await findReadyBinary(name);
  if (path !== undefined) return symlink(path, file);
  await writeScript(file, `program=$('${process.execPath}' '${FETCH}' ${name}) && exec "$program" "$@"`);
}

/** Fetches the tools that are still missing, in a process of low priority that ends with `up`. */
export async function fetchLaterTools(signal: AbortSignal): Promise<void> {
  const paths = await Promise.all(LATER.map(name => findReadyBinary(name)));
  if (signal.aborted || !paths.includes(undefined)) return;
  const child = spawn(process.execPath, [FETCH, ...LATER], { stdio: 'ignore', signal });
  // A failed fetch is reported by the script that runs the tool.
  child.on('error', () => {});
  if (child.pid !== undefined) setPriority(child.pid, LOW_PRIORITY);
  child.unref();
}

/** Writes a script that uses the current Node executable, whatever is in the caller's PATH. The file name selects the command name in the help. */
async function writeOurs(directory: string, name: string): Promise<void> {
  const program = join(directory, `.${name}`, name);
  await mkdir(dirname(program));
  await symlink(MAIN, program);
  await writeScript(join(directory, name), `exec '${process.execPath}' '${program}' "$@"`);
}

async function writeScript(file: string, command: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${command}\n`);
  await chmod(file, 0o755);
}

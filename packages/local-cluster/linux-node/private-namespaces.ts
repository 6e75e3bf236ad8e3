/**
 * Runs a program in network, mount and process namespaces of its own, for Linux Nodes. When the program or this process
 * ends, every process, mount and interface in them disappears, and the cgroup and the folder are removed.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { readEnvironment } from '../environment.ts';
import { linuxNodeUnavailable } from '../errors.ts';
import { startProcess } from '../processes/start-process.ts';
import { startWatchdog } from '../processes/watchdog.ts';

export type PrivateNamespacesOptions = {
  readonly argv: readonly string[];
  /** Addresses with prefix length, all on one interface. */
  readonly addresses: readonly string[];
  /** Added to the environment of this process, which also gets `TMPDIR` and `MINIFLEET_CGROUP`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly eachLine: (line: string) => void;
};

const ENTER = path.join(import.meta.dirname, 'enter-namespaces.sh');
const FLAGS = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Returns the exit code of the program. */
export async function runInPrivateNamespaces(options: PrivateNamespacesOptions): Promise<number> {
  await requireNamespaces();
  const { temporaryDirectory, variables } = readEnvironment();
  const watchdog = startWatchdog();
  try {
    // A short path: Unix sockets below it have paths of at most 107 characters.
    const folder = await mkdtemp(path.join(temporaryDirectory, 'mp-'));
    await watchdog.removeDirectory(folder);
    const cgroup = `minifleet-${randomBytes(4).toString('hex')}`;
    await watchdog.removeCgroup(cgroup);
    await createCgroup(cgroup);
    const program = await startProcess({
      argv: ['unshare', ...FLAGS, '/bin/sh', ENTER, folder, ...options.addresses, '--', ...options.argv],
      environment: { ...variables, ...options.environment, TMPDIR: folder, MINIFLEET_CGROUP: cgroup },
      watchdog,
      output: { eachLine: options.eachLine },
    });
    const { code } = await program.exited;
    return code ?? 1;
  } finally {
    await watchdog.close();
  }
}

async function requireNamespaces(): Promise<void> {
  try {
    await promisify(execFile)('unshare', [...FLAGS, 'mount', '-t', 'tmpfs', 'none', '/run']);
  } catch (error) {
    const why = error instanceof Error ? error.message.trim() : String(error);
    throw linuxNodeUnavailable(
      `namespaces are not available (${why})`,
      'Run as root on Linux, in a VM or a privileged container.',
      error,
    );
  }
}

/** Creates the group in every hierarchy: one for each controller (version 1), or one for all (version 2). */
async function createCgroup(name: string): Promise<void> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map(line => line.split(' '));
  for (const [, directory = '', type = ''] of mounts)
    if (/^cgroup2?$/.test(type)) await mkdir(path.join(directory, name));
}

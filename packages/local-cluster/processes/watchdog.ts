/**
 * Cleans up after this process however it ends, including SIGKILL. A small shell outside our process group reads a pipe
 * that only this process holds open. When the pipe closes, the shell kills the held processes, then removes namespaces,
 * cgroups and directories. stop() closes the pipe as well, so there is only one way to clean up.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { readEnvironment } from '../environment.ts';

export type Watchdog = {
  /** From now on the process group of this pid ends with this process. Resolves when the watchdog has the pid. */
  hold(pid: number): Promise<void>;
  /** The process has ended, and its pid may now belong to another process. */
  free(pid: number): Promise<void>;
  removeDirectory(directory: string): Promise<void>;
  /** Including the processes that still run in it. */
  removeNetworkNamespace(name: string): Promise<void>;
  removeInterface(name: string): Promise<void>;
  /** In every hierarchy. Its processes must end with those that the watchdog holds. */
  removeCgroup(name: string): Promise<void>;
  /** Cleans up now and returns when everything is removed. */
  close(): Promise<void>;
};

// Every wait is limited, so that a hanging file system cannot block the watchdog forever.
const SCRIPT = `
trap '' HUP INT TERM
groups= directories= namespaces= interfaces= cgroups=
newline='
'
while read -r verb value; do
  case $verb in
    hold) groups="$groups$value " ;;
    free) groups=" $groups"; groups="\${groups%% $value *} \${groups#* $value }"; groups=\${groups# } ;;
    directory) directories="$directories$value$newline" ;;
    namespace) namespaces="$namespaces$value " ;;
    interface) interfaces="$interfaces$value " ;;
    cgroup) cgroups="$cgroups$value " ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for interface in $interfaces; do ip link delete "$interface"; done
for namespace in $namespaces; do
  for pid in $(ip netns pids "$namespace"); do kill -s KILL "$pid"; done
  ip netns delete "$namespace"
done
for cgroup in $cgroups; do
  tries=0
  while find /sys/fs/cgroup -maxdepth 2 -name "$cgroup" | grep -q . && [ $tries -lt 100 ]; do
    find /sys/fs/cgroup -depth -type d -path "*/$cgroup*" -exec rmdir {} + || sleep 0.1
    tries=$((tries + 1))
  done
done
printf %s "$directories" | while read -r directory; do
  tries=0
  while [ -e "$directory" ] && [ $tries -lt 100 ]; do
    rm -rf "$directory" || sleep 0.1
    tries=$((tries + 1))
  done
done
`;

export function startWatchdog(): Watchdog {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // A program that ends without stop() must be able to exit: the watchdog must not keep it alive.
  shell.unref();
  // If the watchdog was killed, the next write reports the error. Without this handler the event would end the whole program.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  const tell = (line: string) => write(shell, line);
  let closed: Promise<void> | undefined;
  return {
    hold: pid => tell(`hold ${pid}`),
    free: pid => tell(`free ${pid}`),
    removeDirectory: directory => tell(`directory ${directory}`),
    removeNetworkNamespace: name => tell(`namespace ${name}`),
    removeInterface: name => tell(`interface ${name}`),
    removeCgroup: name => tell(`cgroup ${name}`),
    close() {
      closed ??= end(shell);
      return closed;
    },
  };
}

function write(shell: ChildProcess, line: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  shell.stdin?.write(`${line}\n`, error => (error ? reject(error) : resolve()));
  return promise;
}

async function end(shell: ChildProcess): Promise<void> {
  shell.ref();
  shell.stdin?.end();
  if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'exit');
}

export type TemporaryDirectory = { readonly path: string; remove(): Promise<void> };

/** A temporary directory that is removed when this process ends, in every case. */
export async function createTemporaryDirectory(prefix: string): Promise<TemporaryDirectory> {
  const watchdog = startWatchdog();
  const directory = await mkdtemp(path.join(readEnvironment().temporaryDirectory, prefix));
  await watchdog.removeDirectory(directory);
  return { path: directory, remove: () => watchdog.close() };
}

/**
 * Cleans up after this process however it ends, SIGKILL included: a small shell outside our process group reads a pipe that only we hold open.
 * When the pipe ends it kills what is still held, then removes namespaces and directories. stop() ends the pipe too, so there is one way to clean up.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export type Watchdog = {
  /** From now on the process group led by this pid dies with us. Resolves when the pipe has it. */
  hold(pid: number): Promise<void>;
  /** The process has ended: its pid may now belong to somebody else. */
  free(pid: number): Promise<void>;
  removeDirectory(directory: string): Promise<void>;
  /** With whatever still runs in it. */
  removeNetworkNamespace(name: string): Promise<void>;
  removeInterface(name: string): Promise<void>;
  /** Cleans up now and returns when everything is gone. */
  close(): Promise<void>;
};

// Every wait is bounded, so that a file system in trouble cannot keep the watchdog for ever.
const SCRIPT = `
trap '' HUP INT TERM
groups= directories= namespaces= interfaces=
newline='
'
while read -r verb value; do
  case $verb in
    hold) groups="$groups$value " ;;
    free) groups=" $groups"; groups="\${groups%% $value *} \${groups#* $value }"; groups=\${groups# } ;;
    directory) directories="$directories$value$newline" ;;
    namespace) namespaces="$namespaces$value " ;;
    interface) interfaces="$interfaces$value " ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for interface in $interfaces; do ip link delete "$interface"; done
for namespace in $namespaces; do
  for pid in $(ip netns pids "$namespace"); do kill -s KILL "$pid"; done
  ip netns delete "$namespace"
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
  // A program that ends without stop() should end: the watchdog must not keep it alive.
  shell.unref();
  // Should somebody kill the watchdog, the next write says so; an unheard event would end the whole program instead.
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

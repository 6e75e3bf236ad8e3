import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

interface LeashedProcess extends ChildProcessWithoutNullStreams {
  /** Kills the program and every process left in its group. Safe after its exit, when another group may have its id. */
  killGroup(): void;
}

interface LeashedOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly directory?: string | undefined;
  /** Fate of processes that an exited program left in its group (default: `lives on`). */
  readonly leftBehind?: 'lives on' | 'dies with us';
}

/** Reads a pipe whose other end only this process holds, and kills its own group when the pipe closes. A line ends it without killing. */
const WATCHER = 'read -r _ || kill -KILL 0';

/**
 * `exec` keeps pid, signals and exit code those of the program. The watcher is not a child of the program, because
 * `script` waits for all its children. The watcher ignores signals before the program starts, because the program may
 * signal its group.
 */
const LEASH = `
watcher=$1
shift
( trap '' HUP INT TERM; /bin/sh -c "$watcher" leash <&3 3<&- >/dev/null 2>&1 & )
exec "$@" 3<&-
`;

/**
 * Starts a real program of this machine that cannot outlive this process, even after SIGKILL. It leads its own process
 * group. While it runs, its group ends with this process. After its exit, `leftBehind` decides about the rest of the
 * group. A missing program exits with 127.
 */
export function spawnLeashed(
  argv: readonly string[],
  { environment, directory, leftBehind = 'lives on' }: LeashedOptions,
): LeashedProcess {
  const child = spawn('/bin/sh', ['-c', LEASH, 'leash', WATCHER, ...argv], {
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    ...(directory === undefined ? {} : { cwd: directory }),
  });
  const leash = child.stdio[3] as Socket;
  // An exited program reads nothing more; its exit code is enough.
  for (const stream of [child.stdin, leash]) stream.on('error', () => undefined);
  const letGo = (): void => void leash.end('\n', () => leash.destroy());
  child.once('exit', () => {
    if (leftBehind === 'lives on' || child.pid === undefined) return letGo();
    // The leash must not keep this process alive, because it acts when this process exits.
    leash.unref();
    whenAlone(child.pid, letGo);
  });
  const killGroup = (): void => {
    // The watcher kills its own group, so no group id is needed. It is already gone if the group has no other process.
    if (hasEnded(child)) return void leash.destroy();
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is empty.
    }
  };
  return Object.assign(child, { killGroup });
}

const hasEnded = ({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean =>
  exitCode !== null || signalCode !== null;

/** Calls back if the watcher is the last process of its group. */
function whenAlone(group: number, then: () => void): void {
  execFile('pgrep', ['-g', String(group)], (_error, pids) => {
    if (pids.trim().split('\n').length <= 1) then();
  });
}

import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

export interface LeashedProcess extends ChildProcessWithoutNullStreams {
  /** Kills the program and all it left in its group. Safe after its end, when the number of its group may be another's. */
  killGroup(): void;
}

interface LeashedOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly directory?: string | undefined;
  /** What a program that has ended left in its group: `lives on`, unless it is to die with us as the program would have. */
  readonly leftBehind?: 'lives on' | 'dies with us';
}

/** Reads a pipe whose other end only we hold, and kills its group when that closes; a line lets it go. */
const WATCHER = 'read -r _ || kill -KILL 0';

/**
 * exec: pid, signals and exit code are the program's own. The watcher is nobody's child, for `script` waits for any it has,
 * and deaf before the program starts, for that may signal its group.
 */
const LEASH = `
watcher=$1
shift
( trap '' HUP INT TERM; /bin/sh -c "$watcher" leash <&3 3<&- >/dev/null 2>&1 & )
exec "$@" 3<&-
`;

/**
 * Starts a real program of this machine that cannot outlive us, SIGKILL included. It leads a group of its own; what it
 * leaves there dies with us while it runs, and lives on when it has ended, unless said otherwise. A program that is not there exits with 127.
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
  // Who has ended reads nothing more: the exit code says so.
  for (const stream of [child.stdin, leash]) stream.on('error', () => undefined);
  const letGo = (): void => void leash.end('\n', () => leash.destroy());
  child.once('exit', () => {
    if (leftBehind === 'lives on' || child.pid === undefined) return letGo();
    // The leash must not keep us from ending: it is then that it pulls.
    leash.unref();
    whenAlone(child.pid, letGo);
  });
  const killGroup = (): void => {
    // The watcher kills its own group: it needs no number, and is gone when nobody else is left there.
    if (hasEnded(child)) return void leash.destroy();
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nobody is left in it.
    }
  };
  return Object.assign(child, { killGroup });
}

const hasEnded = ({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean =>
  exitCode !== null || signalCode !== null;

/** Calls back if the watcher is the last of its group. */
function whenAlone(group: number, then: () => void): void {
  execFile('pgrep', ['-g', String(group)], (_error, pids) => {
    if (pids.trim().split('\n').length <= 1) then();
  });
}

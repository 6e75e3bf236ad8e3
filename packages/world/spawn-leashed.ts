import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';

export interface LeashedOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly directory?: string | undefined;
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
 * leaves there dies with us while it runs, and lives on when it has ended. A program that is not there exits with 127.
 */
export function spawnLeashed(
  argv: readonly string[],
  { environment, directory }: LeashedOptions,
): ChildProcessWithoutNullStreams {
  const child = spawn('/bin/sh', ['-c', LEASH, 'leash', WATCHER, ...argv], {
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    ...(directory === undefined ? {} : { cwd: directory }),
  });
  const leash = child.stdio[3] as Duplex;
  // Who has ended reads nothing more: the exit code says so.
  for (const stream of [child.stdin, leash]) stream.on('error', () => undefined);
  child.once('exit', () => leash.end('\n', () => leash.destroy()));
  return child;
}

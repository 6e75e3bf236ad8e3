import { statSync } from 'node:fs';
import { basename } from 'node:path/posix';
import type { Mac } from '../mac.ts';
import { DEFAULT_PATH, findExecutable, runProgram } from '../processes/run-program.ts';
import type { Session } from '../program.ts';
import { root as superuser, type User } from '../user.ts';
import type { RealPaths } from './real-paths.ts';
import type { ServedCall } from './serve-calls.ts';

/** Whose the real process is. */
export interface Caller {
  readonly user: User;
  readonly session: Session;
  /** Where its Mac is reached, when not where the Mac itself believes. */
  readonly address?: string | undefined;
}

/** Runs a program of the Mac for a real process, as execve on that Mac would. */
export async function runCall(
  mac: Mac,
  paths: RealPaths,
  call: ServedCall & { readonly caller: Caller },
): Promise<number> {
  if (!mac.running) return 137;
  const { caller, stdin, signal } = call;
  const own = caller.address === undefined ? mac : reachedAt(mac, caller.address);
  const request = {
    argv: wordsOnMac(call.argv, paths),
    user: caller.user,
    session: caller.session,
    directory: call.directory.startsWith(paths.root) ? paths.toMac(call.directory) : '/',
    environment: environmentOnMac(call.environment, paths),
    stdin,
    out: { write: call.out },
    err: { write: call.err },
    signal,
  };
  showFolders(mac, paths, { ...call, user: caller.user });
  const found = findExecutable(own, request);
  if ('program' in found) return runProgram(own, found, request);
  if ('killed' in found) return 137;
  call.err(`${request.argv[0]}: ${found.failure}\n`);
  return found.failure === 'permission denied' || found.failure === 'exec format error' ? 126 : 127;
}

/** A folder the process has made is on its Mac as soon as it is named there: `df` of it must not fail. What is in it is not. */
function showFolders(
  mac: Mac,
  { root, toMac }: RealPaths,
  { argv, directory, user }: ServedCall & { readonly user: User },
): void {
  for (const word of [...argv.slice(1), directory]) {
    if (!word.startsWith(`${root}/`) || !statSync(word, { throwIfNoEntry: false })?.isDirectory()) continue;
    const path = toMac(word);
    if (mac.files.exists(superuser, path)) continue;
    mac.files.makeDirectory(superuser, path, { parents: true });
    mac.files.chown(superuser, path, user.uid, user.gid);
  }
}

/** Tart is a real process as well: what it is told after its name (`--dir=…`) is about files of this machine. */
function wordsOnMac(argv: readonly string[], { toMac }: RealPaths): string[] {
  const tart = argv.findIndex(word => basename(word) === 'tart');
  return argv.map((word, index) => (tart >= 0 && index > tart ? word : toMac(word)));
}

function environmentOnMac(environment: ServedCall['environment'], { toMac }: RealPaths): Record<string, string> {
  const mapped = Object.entries(environment).map(([name, value]) => [name, toMac(value)]);
  return { PATH: DEFAULT_PATH, ...Object.fromEntries(mapped) };
}

const reachedAt = (mac: Mac, address: string): Mac =>
  Object.create(mac, { options: { value: { ...mac.options, address } } }) as Mac;

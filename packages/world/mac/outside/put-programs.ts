import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mac } from '../mac.ts';
import { isExecutable } from '../processes/run-program.ts';
import { root as superuser } from '../user.ts';

const CLIENT = fileURLToPath(new URL('./run-on-mac.pl', import.meta.url));
export const SOCKET = '.mac.sock';

/** A copy of the client in the Mac's real folder: its links are found beside its socket. */
export function putClient(root: string): string {
  const client = join(root, '.run-on-mac');
  copyFileSync(CLIENT, client);
  chmodSync(client, 0o755);
  return client;
}

/** Every program in the Mac's directories of PATH, as a link in the same place of its real folder. */
export function putPrograms(mac: Mac, root: string, directories: readonly string[]): void {
  const client = putClient(root);
  for (const directory of directories.filter(one => mac.files.exists(superuser, one))) {
    mkdirSync(join(root, directory), { recursive: true });
    for (const name of mac.files.list(superuser, directory)) putProgram(mac, `${directory}/${name}`, { root, client });
  }
}

interface Target {
  readonly root: string;
  readonly client: string;
}

function putProgram(mac: Mac, path: string, { root, client }: Target): void {
  const link = join(root, path);
  const there = lstatSync(link, { throwIfNoEntry: false }) !== undefined;
  const wanted = mac.files.exists(superuser, path) && isExecutable(mac, superuser, path);
  if (wanted && !there) symlinkSync(client, link);
  if (!wanted && there) rmSync(link);
}

/** Follows a program that appears or goes while a process runs: `brew install`, a Tart that was unpacked. */
export function followProgram(mac: Mac, root: string, path: string): void {
  if (!existsSync(join(root, path, '..'))) return;
  putProgram(mac, path, { root, client: join(root, '.run-on-mac') });
}

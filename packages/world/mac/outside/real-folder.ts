import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JobStart } from '../launchd/job-program.ts';
import { type Mac, root as superuser } from '../mac.ts';
import { DEFAULT_PATH, isExecutable } from '../processes/run-program.ts';
import { type CallerIdentity, type CallServer, runCall, serveCalls } from './serve-calls.ts';

const CLIENT = fileURLToPath(new URL('./run-on-mac.pl', import.meta.url));
const SOCKET = '.mac.sock';

/** Copies the client into the Mac's real folder, because it finds its socket next to its own file. */
function putClient(root: string): string {
  const client = join(root, '.run-on-mac');
  copyFileSync(CLIENT, client);
  chmodSync(client, 0o755);
  return client;
}

/** Links every program in the Mac's PATH directories at the same path of its real folder. */
function putPrograms(mac: Mac, root: string, directories: readonly string[]): void {
  const client = putClient(root);
  for (const directory of directories.filter(one => mac.files.exists(superuser, one))) {
    mkdirSync(join(root, directory), { recursive: true });
    for (const name of mac.files.list(superuser, directory)) putProgram(mac, `${directory}/${name}`, { root, client });
  }
}

interface ProgramTarget {
  readonly root: string;
  readonly client: string;
}

function putProgram(mac: Mac, path: string, { root, client }: ProgramTarget): void {
  const link = join(root, path);
  const there = lstatSync(link, { throwIfNoEntry: false }) !== undefined;
  const onMac = mac.files.exists(superuser, path) && isExecutable(mac, superuser, path);
  if (onMac && !there) symlinkSync(client, link);
  if (!onMac && there) rmSync(link);
}

/** Follows a program that is added or removed while a process runs: `brew install`, an unpacked Tart. */
function followProgram(mac: Mac, root: string, path: string): void {
  if (!existsSync(join(root, path, '..'))) return;
  putProgram(mac, path, { root, client: join(root, '.run-on-mac') });
}

/** The Mac as a real process sees it: its programs, and the files that others write for the process. */
interface RealFolder {
  /** Updates the folder for a process that is about to start. */
  prepare(start: JobStart): void;
  /** The Mac is down: programs no longer respond. */
  close(): void;
}

interface RealFolderOptions {
  readonly paths: RealPaths;
  readonly mirrored: readonly string[];
  readonly caller: Omit<CallerIdentity, 'user'>;
}

export function realFolder(mac: Mac, { paths, mirrored, caller }: RealFolderOptions): RealFolder {
  const { root } = paths;
  const mirror = mirrorFiles(mac, root, mirrored);
  let server: CallServer | undefined;
  let searched: readonly string[] = [];
  mac.files.watch(path => {
    if (server && searched.includes(path.slice(0, path.lastIndexOf('/')))) followProgram(mac, root, path);
  });
  return {
    prepare({ environment, directory, user }) {
      searched = (environment['PATH'] ?? DEFAULT_PATH).split(':');
      for (const folder of ['var/lib', 'var/log', 'tmp', directory]) mkdirSync(join(root, folder), { recursive: true });
      putPrograms(mac, root, searched);
      mirror.start();
      // One server for all starts: a process that outlives its job (a supervisor) can still call the Mac.
      server ??= serveCalls(join(root, SOCKET), call => runCall(mac, paths, { ...call, caller: { ...caller, user } }));
    },
    close() {
      mirror.stop();
      server?.close();
      server = undefined;
    },
  };
}

/** Copies files that others write on the Mac (over SSH: a kubeconfig) to where the real process reads them. */
interface Mirror {
  /** Copies all files now, and afterwards each file that changes. */
  start(): void;
  stop(): void;
}

/**
 * One-way, from the Mac to the folder. A file is copied when it changes on the Mac, not when the process restarts, so
 * that files the process wrote itself (a rotated credential) are kept.
 */
function mirrorFiles(mac: Mac, root: string, folders: readonly string[]): Mirror {
  const copied = new Map<string, Buffer>();
  let stop: (() => void) | undefined;

  const copy = (path: string): void => {
    if (!mac.files.exists(superuser, path)) {
      if (copied.delete(path)) rmSync(join(root, path), { force: true });
      return;
    }
    const { type, mode } = mac.files.stat(superuser, path);
    if (type === 'directory') for (const name of mac.files.list(superuser, path)) copy(`${path}/${name}`);
    if (type !== 'file') return;
    const content = mac.files.read(superuser, path);
    if (copied.get(path)?.equals(content)) return;
    copied.set(path, content);
    place(join(root, path), content, mode);
  };

  return {
    start() {
      for (const folder of folders) copy(folder);
      stop ??= mac.files.watch(path => {
        if (folders.some(folder => path === folder || path.startsWith(`${folder}/`))) copy(path);
      });
    },
    stop() {
      stop?.();
      stop = undefined;
    },
  };
}

/** Renames into place, so that a concurrent reader gets the old or the new content. */
function place(path: string, content: Buffer, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.mirrored`, content);
  chmodSync(`${path}.mirrored`, mode);
  renameSync(`${path}.mirrored`, path);
}

/** Maps paths of a simulated Mac to this machine: below one folder, with the layout of the Mac. */
export interface RealPaths {
  readonly root: string;
  /** Maps every path of the Mac in an argument: `--kubeconfig=/etc/…`, `/usr/bin:/bin`. */
  readonly toReal: (word: string) => string;
  /** The reverse mapping. A path outside the folder is unchanged. */
  readonly toMac: (word: string) => string;
}

/** Top-level folders of macOS. A slash alone does not make a path: `scw-applesilicon://zone/id` is not one. */
const PATH = /(?<=^|[=:,])\/(?:Library|System|Users|bin|etc|opt|private|sbin|tmp|usr|var)(?=[/:,]|$)/g;

/** A socket path is at most 107 bytes long, and the agent's are up to 75 bytes below the folder. */
const LONGEST = 32;

export function realPaths(root: string): RealPaths {
  if (root.length > LONGEST)
    throw new Error(`${root}: path too long for the sockets below it; use a folder of at most ${LONGEST} characters`);
  return {
    root,
    toReal: word => (word === '/' ? root : word.replace(PATH, path => root + path)),
    toMac: word => (word === root ? '/' : word.replaceAll(`${root}/`, '/')),
  };
}

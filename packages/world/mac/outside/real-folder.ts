import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JobStart } from '../launchd/job-program.ts';
import type { Mac } from '../mac.ts';
import { DEFAULT_PATH } from '../processes/run-program.ts';
import { mirrorFiles } from './mirror-files.ts';
import { followProgram, putPrograms, SOCKET } from './put-programs.ts';
import type { RealPaths } from './real-paths.ts';
import { type Caller, runCall } from './run-call.ts';
import { type CallServer, serveCalls } from './serve-calls.ts';

/** What a real process sees of its Mac: programs that answer, and the files others put there for it. */
export interface RealFolder {
  /** Brings it up to date for a process that is about to start. */
  prepare(start: JobStart): void;
  /** The Mac is down: nothing answers. */
  close(): void;
}

export interface RealFolderOptions {
  readonly paths: RealPaths;
  readonly mirrored: readonly string[];
  readonly caller: Omit<Caller, 'user'>;
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
      // One for all starts: what outlives its job (a supervisor) still has a Mac to ask.
      server ??= serveCalls(join(root, SOCKET), call => runCall(mac, paths, { ...call, caller: { ...caller, user } }));
    },
    close() {
      mirror.stop();
      server?.close();
      server = undefined;
    },
  };
}

import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mac } from '../mac.ts';
import { root as superuser } from '../user.ts';

/** Copies what others write on the Mac (over SSH: a kubeconfig) to where the real process reads it. */
export interface Mirror {
  /** All files now; afterwards each as it changes. */
  start(): void;
  stop(): void;
}

/**
 * One way, from the Mac to the folder. A file is copied when the Mac's changes, not when the process starts again: what
 * the process wrote itself in the meantime (a rotated credential) stays.
 */
export function mirrorFiles(mac: Mac, root: string, folders: readonly string[]): Mirror {
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

/** Renamed into place: who reads meanwhile reads the old or the new. */
function place(path: string, content: Buffer, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.mirrored`, content);
  chmodSync(`${path}.mirrored`, mode);
  renameSync(`${path}.mirrored`, path);
}

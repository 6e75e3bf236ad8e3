/**
 * Wakes a reader that has reached the end of the log: when the log is written or rotated, the guest's state changes, or
 * the client disconnects.
 */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';

export interface LogFollower {
  /**
   * Resolves at the next change after this call: call before reading and await after it, so that no change is missed.
   */
  next(): Promise<void>;
  /** Watches this file as well: a rotation changes the file that is read. */
  watchFile(file: string): void;
  /** True if nothing more will be written, or the client is gone. */
  readonly over: boolean;
  close(): void;
}

interface FollowLogOptions {
  readonly file: string;
  /** False once the run has ended and its supervisor has written the last line. */
  running(): boolean;
  onStateChange(listener: () => void): () => void;
  readonly signal: AbortSignal;
}

export function followLog(options: FollowLogOptions): LogFollower {
  let change = Promise.withResolvers<void>();
  const wake = (): void => {
    const last = change;
    change = Promise.withResolvers<void>();
    last.resolve();
  };
  const folder = tryWatch(path.dirname(options.file), wake);
  let file: FSWatcher | undefined;
  const unsubscribe = options.onStateChange(wake);
  options.signal.addEventListener('abort', wake, { once: true });
  return {
    next: () => change.promise,
    watchFile(next) {
      // On macOS, a folder's watcher may report a write only when the file is closed; a file's watcher reports each.
      file?.close();
      file = tryWatch(next, wake);
    },
    get over() {
      return options.signal.aborted || !options.running();
    },
    close() {
      folder?.close();
      file?.close();
      unsubscribe();
      options.signal.removeEventListener('abort', wake);
    },
  };
}

/** Undefined if the target does not exist: then the next change of the state or the folder wakes the reader. */
function tryWatch(target: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(target, { persistent: false }, onChange);
    watcher.on('error', onChange);
    return watcher;
  } catch {
    return undefined;
  }
}

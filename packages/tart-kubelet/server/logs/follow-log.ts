/** Wakes a reader that has read everything: when the log is written or rotated, when the guest's state changes, when nobody listens any more. */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';

export interface Following {
  /** Resolves at the next change after this call: ask before reading, wait after it, and none is missed. */
  next(): Promise<void>;
  /** Watches this file, too: the one being read may change with a rotation. */
  watchFile(file: string): void;
  /** Nothing more will be written, or nobody listens: what there is now is all. */
  readonly over: boolean;
  close(): void;
}

interface FollowOptions {
  readonly file: string;
  /** False once the run has ended and its supervisor has written the last line. */
  running(): boolean;
  onStateChange(listener: () => void): () => void;
  readonly signal: AbortSignal;
}

export function followLog(options: FollowOptions): Following {
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
      // macOS may tell a folder's watcher of a write only when the file is closed; a file's watcher hears of each.
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

/** Undefined when it is not there: then the next change of state, or of its folder, tells. */
function tryWatch(target: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(target, { persistent: false }, onChange);
    watcher.on('error', onChange);
    return watcher;
  } catch {
    return undefined;
  }
}

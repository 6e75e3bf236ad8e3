import { closeSync, fstatSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { appendLines } from '../durable/write-durably.ts';

interface CappedFileOptions {
  readonly path: string;
  /** Maximum size of one file. */
  readonly mostBytes: number;
  /** Number of rotated files to keep. `<path>.1` is the latest of them. */
  readonly earlier: number;
}

/** Log file of limited size. A full file becomes `.1`, and the oldest file is deleted. */
interface CappedFile {
  /** Never throws: a full disk costs lines, not the agent. */
  write(line: string): void;
  /** Lines that could not be written so far. */
  readonly lost: number;
  close(): void;
}

/**
 * The agent opens and rotates the file itself. A file that launchd opens for the agent's output would stay open after a rename and
 * grow without limit.
 */
export function openCappedFile({ path, mostBytes, earlier }: CappedFileOptions): CappedFile {
  let file: number | undefined;
  let size = 0;
  let lost = 0;

  const open = (): number => {
    mkdirSync(dirname(path), { recursive: true });
    const opened = openSync(path, 'a', 0o640);
    size = fstatSync(opened).size;
    return opened;
  };

  const turnOver = (): void => {
    close();
    for (let number = earlier; number > 0; number--)
      renameIfThere(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`);
    file = openSync(path, earlier > 0 ? 'a' : 'w', 0o640);
    size = fstatSync(file).size;
  };

  const close = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };

  return {
    close,
    get lost() {
      return lost;
    },
    write(line) {
      const bytes = Buffer.from(line);
      try {
        file ??= open();
        if (size > 0 && size + bytes.length > mostBytes) turnOver();
        appendLines(file, bytes, size);
        size += bytes.length;
      } catch {
        lost += 1;
      }
    },
  };
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

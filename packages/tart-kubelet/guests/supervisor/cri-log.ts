import { closeSync, fstatSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '@minifleet/clock';
import { appendLines } from '../../durable/write-durably.ts';

export type LogStream = 'stdout' | 'stderr';

/** A container's log as every kubelet writes it: `<RFC3339Nano> stdout F line`, `P` for a line that goes on. */
export interface CriLog {
  write(stream: LogStream, data: Buffer): void;
  /** Writes what still waits for the end of its line. */
  close(): void;
}

interface CriLogOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Beyond this the file becomes `<path>.1`, whose predecessor is dropped: a guest fills at most twice as much. */
  readonly mostBytes?: number;
}

const MOST_LINE = 16 * 1024;
const DEFAULT_LOG_BYTES = 10 * 1024 * 1024;
/** Bytes pass through as they are, escapes and broken UTF-8 too: one character of this string is one byte. */
const BYTES = 'latin1';

/**
 * Written at once and in order: the supervisor has nothing better to do than to wait for the disk, and a guest that writes
 * faster than the disk is slowed by that. A disk that refuses loses output, never the guest.
 */
export function openCriLog({ path, clock, mostBytes = DEFAULT_LOG_BYTES }: CriLogOptions): CriLog {
  const pending: Record<LogStream, string> = { stdout: '', stderr: '' };
  const file = rotatingFile(path, mostBytes);
  const prefix = (stream: LogStream, tag: 'F' | 'P'): string =>
    `${new Date(clock.now()).toISOString().replace('Z', '000000Z')} ${stream} ${tag} `;
  return {
    write(stream, data) {
      const text = pending[stream] + data.toString(BYTES);
      const end = text.lastIndexOf('\n') + 1;
      const full = prefix(stream, 'F');
      const part = prefix(stream, 'P');
      const lines = wholeLines(text.slice(0, end), full, part);
      const { pieces, rest } = cutLong(text.slice(end), part);
      pending[stream] = rest;
      if (lines !== '' || pieces !== '') file.append(lines + pieces);
    },
    close() {
      for (const stream of ['stdout', 'stderr'] as const) {
        if (pending[stream] !== '') file.append(`${prefix(stream, 'F')}${pending[stream]}\n`);
      }
      file.close();
    },
  };
}

/** A few native replacements over the whole chunk: line by line would cost ten times as much. */
function wholeLines(text: string, full: string, part: string): string {
  if (text === '') return '';
  if (!hasLongLine(text)) return `${full}${text.slice(0, -1).replaceAll('\n', `\n${full}`)}\n`;
  return text
    .slice(0, -1)
    .split('\n')
    .map(line => {
      const { pieces, rest } = cutLong(line, part);
      return `${pieces}${full}${rest}\n`;
    })
    .join('');
}

/** Jumps from line end to line end, as far as one line may reach. */
function hasLongLine(text: string): boolean {
  for (let at = 0; text.length - at > MOST_LINE; ) {
    const end = text.lastIndexOf('\n', at + MOST_LINE);
    if (end < at) return true;
    at = end + 1;
  }
  return false;
}

function cutLong(line: string, part: string): { readonly pieces: string; readonly rest: string } {
  let pieces = '';
  let at = 0;
  for (; line.length - at > MOST_LINE; at += MOST_LINE) pieces += `${part}${line.slice(at, at + MOST_LINE)}\n`;
  return { pieces, rest: line.slice(at) };
}

interface RotatingFile {
  append(text: string): void;
  close(): void;
}

function rotatingFile(path: string, mostBytes: number): RotatingFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  let descriptor: number | undefined;
  let size = 0;
  const open = (): number => {
    descriptor ??= openSync(path, 'a', 0o640);
    size = fstatSync(descriptor).size;
    return descriptor;
  };
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    append(text) {
      try {
        const bytes = Buffer.from(text, BYTES);
        const target = descriptor ?? open();
        appendLines(target, bytes, size);
        size += bytes.length;
        if (size < mostBytes) return;
        close();
        renameSync(path, `${path}.1`);
      } catch {
        // No space, or the folder is gone: the next piece tries again, with a file of its own.
        close();
      }
    },
    close,
  };
}

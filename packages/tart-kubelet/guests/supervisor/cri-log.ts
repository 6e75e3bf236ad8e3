import { closeSync, fstatSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '@minifleet/clock';
import { appendLines } from '../../durable/write-durably.ts';

export type OutputStream = 'stdout' | 'stderr';

/** A container log in CRI format: `<RFC3339Nano> stdout F line`, with `P` for a partial line. */
export interface CriLog {
  write(stream: OutputStream, data: Buffer): void;
  /** Writes incomplete lines and closes the file. */
  close(): void;
}

interface CriLogOptions {
  readonly path: string;
  readonly clock: Clock;
  /**
   * Above this size the file is renamed to `<path>.1`, replacing the previous one: a guest uses at most twice as much.
   */
  readonly maxBytes?: number;
}

const MAX_LINE = 16 * 1024;
const DEFAULT_LOG_BYTES = 10 * 1024 * 1024;
/** Bytes pass through unchanged, including escapes and invalid UTF-8: one character of this string is one byte. */
const BYTES = 'latin1';

/**
 * Writes synchronously and in order: the supervisor has nothing else to do, and a guest that writes faster than the
 * disk is slowed down. A failing disk loses output but never the guest.
 */
export function openCriLog({ path, clock, maxBytes = DEFAULT_LOG_BYTES }: CriLogOptions): CriLog {
  const pending: Record<OutputStream, string> = { stdout: '', stderr: '' };
  const file = rotatingFile(path, maxBytes);
  const prefix = (stream: OutputStream, tag: 'F' | 'P'): string =>
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

/** Uses a few native replacements over the whole chunk; line by line would cost ten times as much. */
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

/** Jumps from line end to line end, by at most the maximum line length. */
function hasLongLine(text: string): boolean {
  for (let at = 0; text.length - at > MAX_LINE; ) {
    const end = text.lastIndexOf('\n', at + MAX_LINE);
    if (end < at) return true;
    at = end + 1;
  }
  return false;
}

function cutLong(line: string, part: string): { readonly pieces: string; readonly rest: string } {
  let pieces = '';
  let at = 0;
  for (; line.length - at > MAX_LINE; at += MAX_LINE) pieces += `${part}${line.slice(at, at + MAX_LINE)}\n`;
  return { pieces, rest: line.slice(at) };
}

interface RotatingFile {
  append(text: string): void;
  close(): void;
}

function rotatingFile(path: string, maxBytes: number): RotatingFile {
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
        if (size < maxBytes) return;
        close();
        renameSync(path, `${path}.1`);
      } catch {
        // No space, or the folder is gone: the next write opens the file again.
        close();
      }
    },
    close,
  };
}

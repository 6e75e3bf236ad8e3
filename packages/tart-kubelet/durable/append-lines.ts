import { ftruncateSync, writeSync } from 'node:fs';

const NEWLINE = 0x0a;

/**
 * Appends lines to a file that nobody else writes and that ends at `size`. A disk that is full in the middle throws, and
 * keeps only the lines that fitted whole: what comes after the torn one would be taken for its end.
 */
export function appendLines(file: number, lines: Buffer, size: number): void {
  let at = 0;
  try {
    while (at < lines.length) at += writeSync(file, lines, at);
  } catch (error) {
    ftruncateSync(file, size + lines.subarray(0, at).lastIndexOf(NEWLINE) + 1);
    throw error;
  }
}

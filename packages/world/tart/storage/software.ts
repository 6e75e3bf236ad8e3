import { closeSync, openSync, readSync } from 'node:fs';

const MARK = 'minifleet-world software ';

/** The beginning of a disk that holds more than macOS: it goes along through push, pull and clone, as files on a disk do. */
export const softwareLine = (names: readonly string[]): string =>
  names.length === 0 ? '' : `${MARK}${names.join(' ')}\n`;

/** What is installed on a disk beyond macOS: `actions-runner/2.330.0`. */
export function softwareOn(disk: string): readonly string[] {
  const start = Buffer.alloc(512);
  const descriptor = openSync(disk, 'r');
  const length = readSync(descriptor, start, 0, start.length, 0);
  closeSync(descriptor);
  const [line = ''] = start.toString('latin1', 0, length).split('\n');
  return line.startsWith(MARK) ? line.slice(MARK.length).split(' ') : [];
}

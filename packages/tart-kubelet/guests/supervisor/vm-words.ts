import { isScreenLine } from './screen-line.ts';

/** How a VM ended, by the line `tart run` prints: its exit code is 0 for a halt, a crash and a lost network alike (I38, facts 10.6). */
export type VmEnding = 'crashed' | 'network lost' | 'halted' | 'power cut';

const WORDS: readonly (readonly [RegExp, VmEnding])[] = [
  [/^guest has stopped the virtual machine due to error/, 'crashed'],
  [/^virtual machine's network attachment .*has been disconnected/, 'network lost'],
  [/^guest has stopped the virtual machine\s*$/, 'halted'],
  [/^Stopping VM\.\.\./, 'power cut'],
];

export const readVmWords = (line: string): VmEnding | undefined => WORDS.find(([pattern]) => pattern.test(line))?.[1];

/** Lines that belong to every normal life. In the log of a Pod with a process of its own they would be noise. */
export const isOrdinary = (line: string): boolean =>
  isScreenLine(line) || ['halted', 'power cut'].includes(readVmWords(line) ?? '');

import type { HostView } from '../host.ts';

const READ_LINES = 40;
const SHOWN_LINES = 3;
const LONGEST_LINE = 240;

/** Frames of a stack, and what Node prints around an error that nothing caught. */
const NOISE = /^\s*(?:at |\^+\s*$|Node\.js v\d|file:\/\/)|^\s*$/;

/**
 * Last lines that a job wrote to its log, for a message: at most three, shortened, without secrets. A job that keeps exiting repeats itself,
 * so the same line is shown once. Undefined if the log is missing or empty.
 */
export async function lastLogLines(host: HostView, logFile: string): Promise<string | undefined> {
  const { stdout } = await host.query(['/usr/bin/tail', '-n', String(READ_LINES), logFile], { root: true });
  // Redacted before the lines are separated and cut: half a key is not recognised.
  const lines = host
    .redact(stdout)
    .split('\n')
    .filter(line => !NOISE.test(line));
  // The last occurrence of each line, in order.
  const shown = [...new Set(lines.map(shortened).reverse())].slice(0, SHOWN_LINES).reverse();
  return shown.length === 0 ? undefined : shown.join(' | ');
}

function shortened(line: string): string {
  const text = line.replace(/\p{Cc}+/gu, ' ').trim();
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE - 1)}…` : text;
}

import { open } from 'node:fs/promises';
import type { Run } from '../decide/last-run.ts';
import type { Work } from '../work.ts';

/** As kubelet: at most 2 KiB or 80 lines. CRI lines carry a time of 30 characters and more, so more is read. */
const READ = 16 * 1_024;
const BYTES = 2_048;
const LINES = 80;

/** For terminationMessagePolicy FallbackToLogsOnError: keeps the end of a failed run's log, once. */
export async function readTermination({ life }: Work, run: Run | undefined): Promise<void> {
  const policy = life.pod?.spec?.containers[0]?.terminationMessagePolicy;
  if (policy !== 'FallbackToLogsOnError' || !run?.guest || !run.exit || run.exit.exitCode === 0) return;
  if (life.termination?.attempt === run.attempt) return;
  life.termination = { attempt: run.attempt, tail: tailOf(await readEnd(run.guest.spec.logFile)) };
}

/** A log that cannot be read is a message that is missing, not a Pod that cannot end. */
async function readEnd(file: string): Promise<string> {
  try {
    await using log = await open(file, 'r');
    const { size } = await log.stat();
    const length = Math.min(size, READ);
    const { buffer } = await log.read({ buffer: Buffer.alloc(length), position: size - length });
    return buffer.toString('utf8');
  } catch {
    return '';
  }
}

/** The text of CRI log lines without their time, stream and tag. */
export function tailOf(log: string): string {
  const lines = log.split('\n').flatMap(line => /^\S+ (?:stdout|stderr) [FP] (.*)$/.exec(line)?.[1] ?? []);
  return lines.slice(-LINES).join('\n').slice(-BYTES);
}

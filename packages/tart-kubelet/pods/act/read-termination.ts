import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Run } from '../decide/last-run.ts';
import type { Work } from '../pod-context.ts';

/** As kubelet: at most 2 KiB or 80 lines. CRI lines carry a time of 30 characters and more, so more is read. */
const READ = 16 * 1_024;
const BYTES = 2_048;
const LINES = 80;

/**
 * Keeps what the end of a failed run's log says, once: to whoever asked for it by FallbackToLogsOnError, and a known trouble to all.
 * A promise, though nothing is waited for: a pass that never yields would wake itself without end.
 */
export async function readTermination({ life }: Work, run: Run | undefined): Promise<void> {
  if (!run?.guest || !run.exit || run.exit.exitCode === 0) return;
  if (life.termination?.attempt === run.attempt) return;
  const policy = life.pod?.spec?.containers[0]?.terminationMessagePolicy;
  const tail = tailOf(readEnd(run.guest.spec.logFile));
  const said = [knownTrouble(tail), policy === 'FallbackToLogsOnError' ? tail : undefined];
  life.termination = { attempt: run.attempt, tail: said.filter(Boolean).join('\n').slice(0, BYTES) };
}

/** A log that cannot be read is a message that is missing, not a Pod that cannot end. At once: a few KiB, and the pass goes on with them. */
function readEnd(file: string): string {
  try {
    const log = openSync(file, 'r');
    try {
      const { size } = fstatSync(log);
      const end = Buffer.alloc(Math.min(size, READ));
      return end.toString('utf8', 0, readSync(log, end, { position: size - end.length }));
    } finally {
      closeSync(log);
    }
  } catch {
    return '';
  }
}

/** The text of CRI log lines without their time, stream and tag. */
export function tailOf(log: string): string {
  const lines = log.split('\n').flatMap(line => /^\S+ (?:stdout|stderr) [FP] (.*)$/.exec(line)?.[1] ?? []);
  return lines.slice(-LINES).join('\n').slice(-BYTES);
}

/** What Virtualization.framework says to a program in a guest that starts a macOS guest of its own. */
const NESTED = /Virtualization is not available on this hardware/;

/** What the log of a failed run shows to be the matter, for troubles that no other try will mend. */
const knownTrouble = (log: string): string | undefined =>
  NESTED.test(log)
    ? 'macOS runs no macOS VM inside a VM, and a Pod is one (I30): bake images on a builder host, see docs/vm-image-builder.md'
    : undefined;

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { PodRun } from '../decide/last-run.ts';
import type { PodContext } from '../pod-context.ts';

/** kubelet's limits: 2 KiB or 80 lines. More is read because each CRI line has a prefix of 30 characters or more. */
const READ = 16 * 1_024;
const BYTES = 2_048;
const LINES = 80;

/**
 * Keeps the end of a failed run's log, once per run: the log tail for Pods with `FallbackToLogsOnError`, a known cause
 * for every Pod.
 * Async although nothing is awaited: a sync that never yields would wake itself forever.
 */
export async function readTermination({ state }: PodContext, run: PodRun | undefined): Promise<void> {
  if (!run?.guest || !run.exit || run.exit.exitCode === 0) return;
  if (state.termination?.attempt === run.attempt) return;
  const policy = state.pod?.spec?.containers[0]?.terminationMessagePolicy;
  const tail = tailOf(readEnd(run.guest.spec.logFile));
  const messages = [knownCause(tail), policy === 'FallbackToLogsOnError' ? tail : undefined];
  state.termination = { attempt: run.attempt, tail: messages.filter(Boolean).join('\n').slice(0, BYTES) };
}

/**
 * Returns an empty text for an unreadable log, which must not keep a Pod from ending. Synchronous, because it reads
 * only a few KiB and the sync needs them.
 */
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

/** Strips time, stream and tag from CRI log lines. */
export function tailOf(log: string): string {
  const lines = log.split('\n').flatMap(line => /^\S+ (?:stdout|stderr) [FP] (.*)$/.exec(line)?.[1] ?? []);
  return lines.slice(-LINES).join('\n').slice(-BYTES);
}

/** Error of Virtualization.framework when a program in a guest starts a nested macOS guest. */
const NESTED = /Virtualization is not available on this hardware/;

/** Explains failures that no retry can fix. */
const knownCause = (log: string): string | undefined =>
  NESTED.test(log)
    ? 'nested macOS VM: not supported by macOS (a Pod is already a VM, I30); build images on a builder host, see docs/vm-image-builder.md'
    : undefined;

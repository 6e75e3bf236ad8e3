import type { LastExit } from './printed-job.ts';

/** How a job last ended, in words a person can act on. */
export function describeLastExit({ code, signal, reason }: LastExit): string {
  if (isSignatureKill({ reason })) return 'macOS killed it for its code signature (OS_REASON_CODESIGNING)';
  if (reason !== undefined) return `macOS ended it (${reason})`;
  if (code?.startsWith('78')) return 'launchd could not start it (exit code 78: EX_CONFIG: program, log or user)';
  if (code !== undefined) return `it exited with code ${code}`;
  return signal === undefined ? 'it never exited' : `a signal ended it (${signal})`;
}

/** The kernel found other code than it expected: overwritten in place, or held to what ran before (I19). */
export const isSignatureKill = ({ reason }: Pick<LastExit, 'reason'>): boolean =>
  reason?.startsWith('OS_REASON_CODESIGNING') === true;

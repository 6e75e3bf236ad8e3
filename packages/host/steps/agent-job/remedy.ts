import type { AgentState } from './agent-state.ts';
import { killedForSignature, troubleOf } from './stability.ts';

/** What may still help an agent that was started and does not run. Each is tried once. */
export type Remedy = 'start again' | 'load again' | 'sign again';

/**
 * A kickstart may say yes and do nothing (I18), and launchd may not start the job by itself any more (I17): start it again.
 * Someone may have booted the job out a moment before we came: load it again. A kill for the signature may be a stale entry of the kernel or the code the daemon is held to: a signature in a new
 * file, bootstrapped anew, heals both (I19). A program that exits by itself is left to KeepAlive.
 */
export function remedyFor(state: AgentState, tried: ReadonlySet<Remedy>): Remedy | undefined {
  const remedy = rightFor(state);
  return remedy !== undefined && !tried.has(remedy) ? remedy : undefined;
}

function rightFor(state: AgentState): Remedy | undefined {
  if (!state.daemon.job) return 'load again';
  if (killedForSignature(state)) return 'sign again';
  const kind = troubleOf(state)?.kind;
  return kind === 'stale' || kind === 'gone' ? 'start again' : undefined;
}

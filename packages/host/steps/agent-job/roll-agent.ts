import type { CataloguedError } from '@minifleet/errors';
import type { Host } from '../../host.ts';
import { renderDaemon } from '../../launchd/launch-daemon.ts';
import { slotOf } from '../agent-binary/slots.ts';
import type { AgentState } from './agent-state.ts';
import { type AgentJob, daemonOf } from './agent-want.ts';
import { awaitAgent } from './await-agent.ts';
import { type Remedy, remedyFor } from './remedy.ts';
import { troubleOf } from './stability.ts';
import { kickAgent, resignAgent, startAgent } from './start-agent.ts';
import type { Start } from './start-needed.ts';

/** What came of starting the wanted version. */
export interface Rolled {
  readonly notes: readonly string[];
  /** Why it does not run; undefined when it does, and has for a while. */
  readonly trouble: string | undefined;
  readonly cause?: CataloguedError;
}

const DONE: Readonly<Record<Remedy, string>> = {
  'start again': 'started it again',
  'load again': 'had launchd load it again',
  'sign again': 'signed it anew',
};

/** Starts the wanted version and stays until it has proven itself, or nothing is left to try. */
export async function rollAgent(host: Host, want: AgentJob, how: Start): Promise<Rolled> {
  const version = { slot: slotOf(want.binary), propertyList: renderDaemon(daemonOf(want)) };
  const start = (by: Start) => startAgent(host, want, { ...version, how: by, keepsPrevious: true });
  const tried = new Set<Remedy>();
  const notes: string[] = [];
  const enough = (state: AgentState): boolean => !troubleOf(state) || remedyFor(state, tried) !== undefined;
  let failure = await start(how);
  for (;;) {
    if (failure) return { notes, trouble: failure.message, cause: failure };
    const state = await awaitAgent(host, want, enough);
    const trouble = troubleOf(state);
    if (!trouble) return { notes, trouble: undefined };
    const remedy = remedyFor(state, tried);
    if (!remedy) return { notes, trouble: trouble.words };
    tried.add(remedy);
    notes.push(`${trouble.words}: ${DONE[remedy]}`);
    if (remedy === 'start again') await kickAgent(host, want);
    if (remedy === 'sign again') failure = await resignAgent(host, version.slot);
    if (remedy !== 'start again') failure ??= await start('reload');
  }
}

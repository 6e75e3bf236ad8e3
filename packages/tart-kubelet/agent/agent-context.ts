import type { Clock } from '@minifleet/clock';
import type { Log } from '@minifleet/kube';
import type { Redactor } from '@minifleet/secret';
import type { AgentFlags } from './flags.ts';

/** Environment of the agent, from its `main.ts`. */
export interface AgentProgram {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** User of the GUI session. The agent runs as this user. */
  readonly user: string;
  readonly version: string;
  /** Command that starts this program as a supervisor. The folder of the guest is its last argument. */
  readonly supervisor: readonly [string, ...string[]];
  readonly signal: AbortSignal;
}

/** Dependencies of every part of the agent. */
export interface AgentContext extends AgentProgram {
  readonly flags: AgentFlags;
  readonly log: Log;
  /** Lines that could not be written to the agent's log. */
  readonly lostLogLines: () => number;
  /** Redactor of the log. It learns every secret that the agent reads. */
  readonly redactor: Pick<Redactor, 'learn'>;
  /** Folder of the Pod logs. */
  readonly logs: string;
  readonly tartHome: string;
}

/** Apple's licence and the macOS kernel allow two macOS guests at a time. */
export const VM_SLOTS = 2;

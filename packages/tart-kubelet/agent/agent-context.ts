import type { Clock } from '@minifleet/clock';
import type { AgentLog } from '../observe/agent-log.ts';
import type { Flags } from './flags.ts';

/** What the agent is given of the world outside. */
export interface AgentSurroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The account of the session at the screen, as whom the agent runs. */
  readonly user: string;
  readonly version: string;
  /** How this program is started as a supervisor; the guest's folder follows. */
  readonly supervisor: readonly [string, ...string[]];
  readonly signal: AbortSignal;
}

/** The same with what follows from the flags: every part of the agent is made from it. */
export interface AgentContext extends AgentSurroundings {
  readonly flags: Flags;
  readonly log: AgentLog;
  /** Where the logs of Pods are. */
  readonly logs: string;
  readonly tartHome: string;
}

/** Apple's licence, and its kernel, allow two macOS guests at a time. */
export const VM_SLOTS = 2;

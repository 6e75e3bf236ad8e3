import { access } from 'node:fs/promises';
import { type Clock, type Duration, milliseconds, pause } from '@minifleet/clock';
import { type AgentClient, connectAgent } from '../agent-client/agent-client.ts';
import type { BootStage } from './judge-exit.ts';

export type Boot =
  | { readonly outcome: 'booted'; readonly agent: AgentClient; readonly address: string }
  | { readonly outcome: 'timed out'; readonly stage: BootStage }
  /** Something else ended it first. */
  | { readonly outcome: 'given up' };

interface BootOptions {
  readonly controlSocket: string;
  readonly clock: Clock;
  readonly within: Duration;
  readonly signal: AbortSignal;
  /** Asked once, when nothing answered in time: has the guest asked for an address? Then it has booted. */
  hasLease(): Promise<boolean>;
}

/** A boot cannot be told by anybody but the guest: until its agent answers, it is asked this often. A connect to a local socket costs some microseconds. */
const ASK_EVERY = milliseconds(25);
/** A relay that takes the connection and says nothing is tried anew. */
const ANSWER_WITHIN = 2_000;

/** Waits until the guest's agent answers and the guest has an address, or says in which stage it is stuck. */
export async function waitForBoot(options: BootOptions): Promise<Boot> {
  const { clock, signal } = options;
  const progress: Progress = { stage: 'start', agent: undefined };
  const late = new AbortController();
  // A timer and not the time of day, which may jump while a host starts.
  const deadline = clock.after(options.within, () => late.abort());
  const end = AbortSignal.any([signal, late.signal]);
  while (!end.aborted) {
    const address = await ask(options.controlSocket, progress, end);
    if (address !== undefined && progress.agent) {
      deadline.cancel();
      return { outcome: 'booted', agent: progress.agent, address };
    }
    await pause(clock, ASK_EVERY, end);
  }
  deadline.cancel();
  progress.agent?.close();
  return signal.aborted
    ? { outcome: 'given up' }
    : { outcome: 'timed out', stage: await stuckIn(progress.stage, options) };
}

interface Progress {
  stage: BootStage;
  agent: AgentClient | undefined;
}

/** Goes one step on, as far as the guest lets us; gives the address at the end. */
async function ask(controlSocket: string, progress: Progress, signal: AbortSignal): Promise<string | undefined> {
  try {
    if (progress.stage === 'start') {
      await access(controlSocket);
      progress.stage = 'agent';
    }
    const patience = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN)]);
    progress.agent ??= await connectAgent(controlSocket, patience);
    progress.stage = 'address';
    return await within(progress.agent.resolveAddress(), patience);
  } catch {
    // Not there yet. A connection that broke is made anew.
    progress.agent?.close();
    progress.agent = undefined;
    // At the deadline the question is cut short, and where it stood is what counts.
    if (progress.stage === 'address' && !signal.aborted) progress.stage = 'agent';
    return undefined;
  }
}

const within = <T>(answer: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    answer,
    new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason as Error);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    }),
  ]);

async function stuckIn(stage: BootStage, options: BootOptions): Promise<BootStage> {
  if (stage !== 'agent') return stage;
  return (await options.hasLease()) ? 'agent' : 'boot';
}

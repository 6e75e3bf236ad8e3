import { access } from 'node:fs/promises';
import { type Clock, type Duration, milliseconds, pause } from '@minifleet/clock';
import { type AgentClient, connectAgent } from '../agent-client/agent-client.ts';
import type { BootStage } from './judge-exit.ts';

export type BootResult =
  | { readonly outcome: 'booted'; readonly agent: AgentClient; readonly address: string }
  | { readonly outcome: 'timed out'; readonly stage: BootStage }
  /** Interrupted by a stop or by the end of the VM. */
  | { readonly outcome: 'given up' };

interface BootOptions {
  readonly controlSocket: string;
  readonly clock: Clock;
  readonly within: Duration;
  readonly signal: AbortSignal;
  /** Called once after the timeout: a guest that has requested an address has booted. */
  hasLease(): Promise<boolean>;
}

/**
 * Poll interval until the guest agent answers; nothing else shows that the guest has booted. A connect to a local
 * socket costs a few microseconds.
 */
const POLL_INTERVAL = milliseconds(25);
/** A relay that accepts the connection but stays silent is reconnected after this time. */
const ANSWER_WITHIN = 2_000;

/** Waits until the guest agent answers and the guest has an address, or reports the stage in which it is stuck. */
export async function waitForBoot(options: BootOptions): Promise<BootResult> {
  const { clock, signal } = options;
  const progress: BootProgress = { stage: 'start', agent: undefined };
  const late = new AbortController();
  // A timer, because the host's clock may jump at startup.
  const deadline = clock.after(options.within, () => late.abort());
  const end = AbortSignal.any([signal, late.signal]);
  while (!end.aborted) {
    const address = await advance(options.controlSocket, progress, end);
    if (address !== undefined && progress.agent) {
      deadline.cancel();
      return { outcome: 'booted', agent: progress.agent, address };
    }
    await pause(clock, POLL_INTERVAL, end);
  }
  deadline.cancel();
  progress.agent?.close();
  return signal.aborted
    ? { outcome: 'given up' }
    : { outcome: 'timed out', stage: await stuckStage(progress.stage, options) };
}

interface BootProgress {
  stage: BootStage;
  agent: AgentClient | undefined;
}

/** Advances as far as the guest allows; returns the address at the end. */
async function advance(
  controlSocket: string,
  progress: BootProgress,
  signal: AbortSignal,
): Promise<string | undefined> {
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
    // Not ready yet. A broken connection is opened again.
    progress.agent?.close();
    progress.agent = undefined;
    // At the deadline the call is aborted, and the reached stage counts.
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

async function stuckStage(stage: BootStage, options: BootOptions): Promise<BootStage> {
  if (stage !== 'agent') return stage;
  return (await options.hasLease()) ? 'agent' : 'boot';
}

import { describeLastExit, isSignatureKill } from '../../launchd/last-exit.ts';
import type { AgentState } from './agent-state.ts';

/** A process killed at its first page, or that gives up at once, is younger than this whenever one looks. */
const OLD_ENOUGH = 5;

/**
 * What keeps the agent from running: `gone` launchd will not start it by itself, `ending` it keeps ending, `young` it may
 * yet be fine, `stale` a process of before the last switch still runs (a kickstart that did nothing, I18).
 */
export type Trouble = { readonly kind: 'gone' | 'ending' | 'young' | 'stale'; readonly words: string };

/** Undefined when the agent runs, has done so for a while, and was started from what `current` leads to. */
export function troubleOf(state: AgentState): Trouble | undefined {
  const { daemon, process, current, now } = state;
  const { job } = daemon;
  if (!job) return { kind: 'gone', words: 'the agent does not run' };
  const ended = describeLastExit(job.lastExit);
  if (!process) return notRunning(state, ended);
  if (process.age === undefined) return { kind: 'ending', words: `the agent ended just now: ${ended}` };
  // A link from the future (the clock was set back) says nothing about what is older than it.
  const switchedAt = current && current.switchedAt <= now ? current.switchedAt : undefined;
  if (switchedAt !== undefined && now - process.age < switchedAt)
    return {
      kind: 'stale',
      words: `the agent (pid ${process.pid}) was started before ${current?.slot} became current`,
    };
  if (process.age >= OLD_ENOUGH) return undefined;
  return { kind: 'young', words: `the agent has been running for ${process.age}s only; before that ${ended}` };
}

function notRunning({ daemon }: AgentState, ended: string): Trouble {
  const { job } = daemon;
  if (job?.state === 'spawn scheduled')
    return { kind: 'ending', words: `the agent keeps ending (${job.runs} starts): ${ended}` };
  // Past a number of registrations macOS no longer brings a daemon back (I17).
  const forgotten = job?.keepAlive ? ', and Background Task Management no longer lets launchd restart it' : '';
  return { kind: 'gone', words: `the agent does not run${forgotten}: ${ended}` };
}

/** Whether the kernel objects to the program's signature, as far as launchd has been told. */
export const killedForSignature = (state: AgentState): boolean =>
  troubleOf(state) !== undefined && isSignatureKill(state.daemon.job?.lastExit ?? { reason: undefined });

import { pause, seconds } from '@minifleet/clock';
import type { Host } from '../../host.ts';
import { type AgentState, lookAtAgent } from './agent-state.ts';
import type { AgentJob } from './agent-want.ts';

const WITHIN = seconds(30);
const EVERY = seconds(1);
/** Nothing is old enough before that: one look instead of six for an agent that starts well. */
const FIRST_LOOK = seconds(5);

/** Looks at the agent until `enough` says so, for half a minute at most; returns the last look. */
export async function awaitAgent(
  host: Host,
  want: AgentJob,
  enough: (state: AgentState) => boolean,
): Promise<AgentState> {
  const deadline = host.clock.now() + WITHIN;
  await pause(host.clock, FIRST_LOOK);
  for (;;) {
    const state = await lookAtAgent(host, want);
    if (enough(state) || host.clock.now() >= deadline) return state;
    await pause(host.clock, EVERY);
  }
}

import type { Host } from '../../host.ts';
import { renderDaemon } from '../../launchd/launch-daemon.ts';
import { AGENT_HOME, slotOf } from '../agent-binary/slots.ts';
import { type AgentState, lookAtAgent } from './agent-state.ts';
import { type AgentJob, daemonOf } from './agent-want.ts';
import { awaitAgent } from './await-agent.ts';
import { troubleOf } from './stability.ts';
import { startAgent, type Version } from './start-agent.ts';

/** Puts back what ran before and says what came of it. `before` is the host as the roll found it. */
export async function rollBack(host: Host, want: AgentJob, before: AgentState): Promise<string> {
  const version = await previousVersion(host, want);
  if (!version) return 'there is nothing to roll back to, it was left as it is';
  const same = version.propertyList === renderDaemon(daemonOf(want));
  const failure = await startAgent(host, want, { ...version, how: same ? 'restart' : 'reload', keepsPrevious: false });
  if (failure) return `rolling back to ${version.slot} failed too (${failure.message})`;
  // A process of before the roll was never stopped, and is what we want back.
  const back = (state: AgentState): boolean => !troubleOf(state) || survived(state, before);
  const after = await awaitAgent(host, want, back);
  if (back(after)) return `it was rolled back to ${version.slot}, which runs`;
  return `it was rolled back to ${version.slot}, which does not keep running either (${troubleOf(after)?.words})`;
}

const survived = (state: AgentState, before: AgentState): boolean =>
  state.process?.age !== undefined && state.process.pid === before.process?.pid;

/** What the roll kept; undefined when that is what just failed, or nothing. */
async function previousVersion(host: Host, want: AgentJob): Promise<Version | undefined> {
  const [{ previous: slot }, propertyList] = await Promise.all([
    lookAtAgent(host, want),
    host.readText(`${AGENT_HOME}/previous.plist`),
  ]);
  if (slot === undefined || propertyList === undefined) return undefined;
  const failed = slot === slotOf(want.binary) && propertyList === renderDaemon(daemonOf(want));
  return failed ? undefined : { slot, propertyList };
}

import { needsReload } from '../../launchd/daemon-differences.ts';
import { renderDaemon } from '../../launchd/launch-daemon.ts';
import { slotOf } from '../agent-binary/slots.ts';
import type { AgentState } from './agent-state.ts';
import { AGENT_COMMAND_TARGET, type AgentJob, daemonOf } from './agent-want.ts';
import { troubleOf } from './stability.ts';

/** How the agent gets from here to there: as `agent-roll.sh` names it. */
export type Start = 'prepare' | 'restart' | 'reload';

/**
 * Every `reload` is a registration that macOS counts until it stops respawning the agent, so a roll that changes the
 * program alone is a `restart` (I17). A process that is only young is given time first.
 */
export function startNeeded(state: AgentState, want: AgentJob): Start {
  if (needsReload(state.daemon, daemonOf(want))) return 'reload';
  const kind = troubleOf(state)?.kind;
  return linkDifferences(state, want).length > 0 || (kind !== undefined && kind !== 'young') ? 'restart' : 'prepare';
}

/** Whether another program or other arguments are about to run: what can be rolled back. */
export const isRoll = ({ current, daemon }: AgentState, want: AgentJob): boolean =>
  current?.slot !== slotOf(want.binary) || daemon.propertyList !== renderDaemon(daemonOf(want));

export function linkDifferences({ current, command }: AgentState, want: AgentJob): string[] {
  const slot = slotOf(want.binary);
  const differences: string[] = [];
  if (current?.slot !== slot)
    differences.push(`the agent’s program is ${current?.slot ?? 'not there'}, wanted ${slot}`);
  if (command === undefined) differences.push('tart-kubelet is not in /usr/local/bin');
  else if (command.target !== AGENT_COMMAND_TARGET)
    differences.push(
      `/usr/local/bin/tart-kubelet is ${command.target === '' ? 'a file' : `a link to ${command.target}`}, wanted a link to the current slot`,
    );
  return differences;
}

import { AGENT_LABEL } from '@minifleet/host';
import { leases } from '@minifleet/kube';
import type { Stage } from '../stage.ts';

export const AGENT = `system/${AGENT_LABEL}`;
export const AGENT_LIST = `/Library/LaunchDaemons/${AGENT_LABEL}.plist`;

/** Shell text that waits, for some seconds at most, until launchd has let go of the agent. */
export const UNTIL_GONE = `left=40
while launchctl print ${AGENT} >/dev/null 2>&1 && [ $left -gt 0 ]; do sleep 0.5; left=$((left - 1)); done`;

/** Shell text that registers the agent anew, with its property list as it is now. */
export const RELOAD = `launchctl bootout ${AGENT}
${UNTIL_GONE}
launchctl bootstrap system ${AGENT_LIST}`;

/** The agent as launchd knows it. */
export interface AgentJob {
  /** What `launchctl print` says, of its arguments, too. */
  readonly said: string;
  /** Undefined when it does not run. */
  readonly pid: string | undefined;
}

export async function agentJobOf({ run }: Pick<Stage, 'run'>): Promise<AgentJob> {
  const { out, err } = await run(`launchctl print ${AGENT}`);
  return { said: out || err, pid: /^\tpid = (\d+)$/m.exec(out)?.[1] };
}

/** The agent, when it runs, has told the cluster so since then, and the host is Ready; undefined otherwise. */
export async function servingAgent(stage: Stage, since: number): Promise<AgentJob | undefined> {
  const job = await agentJobOf(stage);
  if (job.pid === undefined || !(await stage.isWell())) return undefined;
  // A Node stays Ready for a while after its agent is gone.
  const lease = await stage.client.find(leases, { namespace: 'kube-node-lease', name: stage.name });
  return Date.parse(lease?.spec?.renewTime ?? '') > since ? job : undefined;
}

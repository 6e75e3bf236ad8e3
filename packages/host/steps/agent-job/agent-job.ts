import { minutes } from '@minifleet/clock';
import { createSeen } from '../../engine/seen.ts';
import { defineStep, drift } from '../../engine/step.ts';
import { daemonDifferences } from '../../launchd/daemon-differences.ts';
import { slotOf } from '../agent-binary/slots.ts';
import { type AgentState, lookAtAgent } from './agent-state.ts';
import { type AgentJob, daemonOf, ownedPaths } from './agent-want.ts';
import { HOST_AGENT_NOT_STABLE } from './errors.ts';
import { removal } from './removal.ts';
import { rollAgent } from './roll-agent.ts';
import { rollBack } from './roll-back.ts';
import { troubleOf } from './stability.ts';
import { isRoll, linkDifferences, startNeeded } from './start-needed.ts';

/** A roll that a killed caller left behind may still be taken back for so long. */
const UNPROVEN_SECONDS = 600;

const seen = createSeen<AgentState>();

/**
 * The node agent as a job of launchd. It waits inside `change`, because a version that does not keep running is rolled
 * back there; what is current afterwards has proven itself. VMs survive a restart of the agent, new ones wait for it.
 */
export const agentJob = defineStep<AgentJob>({
  id: 'agent-job',
  title: 'node agent',
  disturbs: 'new VMs',
  timeout: minutes(5),

  async inspect(host, want) {
    const state = await lookAtAgent(host, want);
    const differences = agentDifferences(state, want);
    return seen.keep(drift(differences, startNeeded(state, want) === 'prepare' ? 'nothing' : 'new VMs'), state);
  },

  async change(host, want, finding) {
    const before = seen.behind(finding) ?? (await lookAtAgent(host, want));
    const how = startNeeded(before, want);
    const { notes, trouble, cause } = await rollAgent(host, want, how);
    if (trouble === undefined) return [...rolled(before, want), ...notes];
    const takesBack = isRoll(before, want) || isUnproven(before);
    const outcome = takesBack ? await rollBack(host, want, before) : 'it was left as it is';
    const values = { slot: slotOf(want.binary), address: host.address, why: trouble, outcome, log: want.logFile };
    throw HOST_AGENT_NOT_STABLE(values, { cause });
  },

  removal,
});

export const agentDifferences = (state: AgentState, want: AgentJob): string[] => {
  const trouble = state.daemon.job && troubleOf(state);
  return [
    ...linkDifferences(state, want),
    ...daemonDifferences(state.daemon, daemonOf(want)),
    ...(trouble ? [trouble.words] : []),
    ...ownedPaths(want).flatMap(({ path, owner }) => {
      const facts = state.owned.get(path);
      if (!facts) return [`${path} is missing`];
      return facts.owner === owner ? [] : [`${path} belongs to ${facts.owner}, wanted ${owner}`];
    }),
  ];
};

const isUnproven = ({ rolledAt, now }: AgentState): boolean =>
  rolledAt !== undefined && now - rolledAt < UNPROVEN_SECONDS;

function rolled({ current }: AgentState, { binary }: AgentJob): string[] {
  const slot = slotOf(binary);
  return current?.slot === slot ? [] : [`rolled from ${current?.slot ?? 'nothing'} to ${slot}`];
}

import { minutes } from '@minifleet/clock';
import { createFindingCache, drift, type Removal, type StepDefinition } from '../../engine/step.ts';
import { describePaths } from '../../file-info.ts';
import { removeDaemon } from '../../launchd/daemon-script.ts';
import { daemonDifferences, readDaemon } from '../../launchd/launch-daemon.ts';
import { AGENT_HOME, slotOf } from '../agent-binary/agent-binary.ts';
import { AGENT_COMMAND, AGENT_LABEL, type AgentJob, daemonOf, ownedPaths } from './agent-launchd-job.ts';
import { type AgentState, describeProblem, isRoll, linkDifferences, readAgent, startNeeded } from './agent-state.ts';
import { HOST_AGENT_NOT_STABLE, rollAgent, rollBack } from './roll-agent.ts';

/** Removes the agent: job, property list, links and all programs. Log and credentials are kept. */
const removal: Removal = {
  async inspect(host) {
    const [{ propertyList, job }, paths] = await Promise.all([
      readDaemon(host, AGENT_LABEL),
      describePaths(host, [AGENT_HOME, AGENT_COMMAND]),
    ]);
    return drift([
      ...(job ? [`launchd still has the job ${AGENT_LABEL}`] : []),
      ...(propertyList === undefined ? [] : [`the property list of ${AGENT_LABEL} still exists`]),
      ...[AGENT_HOME, AGENT_COMMAND].filter(path => paths.has(path)).map(path => `${path} still exists`),
    ]);
  },
  async change(host) {
    await removeDaemon(host, AGENT_LABEL, [AGENT_COMMAND, AGENT_HOME]);
    return [`removed ${AGENT_LABEL} and all its programs`];
  },
};

/** A rollout left behind by a killed caller may be rolled back within this time. */
const UNPROVEN_SECONDS = 600;

const findings = createFindingCache<AgentState>();

/**
 * The node agent as a launchd job. `change` waits, because a version that does not keep running is rolled back there;
 * afterwards the current version is proven. VMs survive a restart of the agent, new VMs wait for it.
 */
export const agentJob = {
  id: 'agent-job',
  title: 'node agent',
  disturbs: 'new VMs',
  timeout: minutes(5),

  async inspect(host, want) {
    const state = await readAgent(host, want);
    const problem = state.daemon.job && (await describeProblem(host, want, state));
    const differences = agentDifferences(state, want, problem);
    return findings.store(drift(differences, startNeeded(state, want) === 'prepare' ? 'nothing' : 'new VMs'), state);
  },

  async change(host, want, finding) {
    const before = findings.stateFor(finding) ?? (await readAgent(host, want));
    const how = startNeeded(before, want);
    const { notes, trouble, cause } = await rollAgent(host, want, how);
    if (trouble === undefined) return [...rolled(before, want), ...notes];
    const takesBack = isRoll(before, want) || isUnproven(before);
    const outcome = takesBack ? await rollBack(host, want, before) : 'it was left in place';
    const values = { slot: slotOf(want.binary), address: host.address, why: trouble, outcome, log: want.logFile };
    throw HOST_AGENT_NOT_STABLE(values, { cause });
  },

  removal,
} satisfies StepDefinition<AgentJob>;

const agentDifferences = (state: AgentState, want: AgentJob, problem: string | undefined): string[] => [
  ...linkDifferences(state, want),
  ...daemonDifferences(state.daemon, daemonOf(want)),
  ...(problem === undefined ? [] : [problem]),
  ...ownedPaths(want).flatMap(({ path, owner }) => {
    const facts = state.owned.get(path);
    if (!facts) return [`${path} is missing`];
    return facts.owner === owner ? [] : [`${path} belongs to ${facts.owner}, expected ${owner}`];
  }),
];

const isUnproven = ({ rolledAt, now }: AgentState): boolean =>
  rolledAt !== undefined && now - rolledAt < UNPROVEN_SECONDS;

function rolled({ current }: AgentState, { binary }: AgentJob): string[] {
  const slot = slotOf(binary);
  return current?.slot === slot ? [] : [`rolled out ${slot} (previous: ${current?.slot ?? 'none'})`];
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentMac } from '../../../e2e/testing/agent-mac.ts';
import { IDLE } from '../names.ts';
import { findAgentPid, findProcesses, type ProcessUsage, readProcessUsage } from './processes.ts';

export interface IdleFigures {
  /** Percent of one core. */
  readonly agentPercent: number;
  readonly supervisorPercent: number;
  /** Host programs that the agent runs; those of a simulated Mac cost more than real ones. */
  readonly programsPercent: number;
  readonly agentMegabytes: number;
  readonly agentAnonymousMegabytes: number;
  readonly supervisorMegabytes: number;
  readonly supervisorAnonymousMegabytes: number;
}

/** Measures the agent and a supervisor with all guests running and idle. */
export async function measureIdle(mac: AgentMac): Promise<IdleFigures> {
  await sleep(IDLE.settleSeconds * 1_000);
  const agent = findAgentPid(mac);
  const [supervisor = 0] = findProcesses(` supervise ${mac.folder}`);
  const before = { agent: readProcessUsage(agent), supervisor: readProcessUsage(supervisor) };
  const begun = performance.now();
  await sleep(IDLE.seconds * 1_000);
  const took = performance.now() - begun;
  const after = { agent: readProcessUsage(agent), supervisor: readProcessUsage(supervisor) };
  const percent = (of: 'agent' | 'supervisor', field: 'processorTime' | 'childrenTime'): number =>
    ((after[of][field] - before[of][field]) / took) * 100;
  const megabytes = (use: ProcessUsage, field: 'rss' | 'anonymous'): number => use[field] / 1e6;
  return {
    agentPercent: percent('agent', 'processorTime'),
    supervisorPercent: percent('supervisor', 'processorTime'),
    programsPercent: percent('agent', 'childrenTime'),
    agentMegabytes: megabytes(after.agent, 'rss'),
    agentAnonymousMegabytes: megabytes(after.agent, 'anonymous'),
    supervisorMegabytes: megabytes(after.supervisor, 'rss'),
    supervisorAnonymousMegabytes: megabytes(after.supervisor, 'anonymous'),
  };
}

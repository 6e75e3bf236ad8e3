import { createHash } from 'node:crypto';
import { pause, seconds } from '@minifleet/clock';
import { type CreateMacOptions, execute, machO, macParts } from '@minifleet/world/mac';
import { planStep } from '../../../engine/step.ts';
import type { Artifact } from '../../../host.ts';
import { convergeStep, passTime, type TestHost, testHost } from '../../../testing/index.ts';
import { agentBinary, slotOf } from '../../agent-binary/agent-binary.ts';
import { agentJob } from '../agent-job.ts';
import { AGENT_LABEL, type AgentJob, agentArguments, agentEnvironment } from '../agent-launchd-job.ts';

type Part = NonNullable<CreateMacOptions['parts']>[number];

/**
 * An agent whose program says `exits with 3` does so after a second, `exits with 3 given --flag` only with that flag; any
 * other runs until it is signalled. What the program says after `prints: ` is printed to standard error before that.
 */
const agentPart: Part = () => ({
  load({ content }) {
    const text = content.toString('utf8');
    const found = /exits with (\d+)(?: given (--[\w-]+))?/.exec(text);
    if (!found) return undefined;
    const printed = /prints: ([^\0]*)/.exec(text)?.[1];
    return async run => {
      if (printed !== undefined) run.err(`${printed}\n`);
      const ends = found[2] === undefined || run.argv.includes(found[2]);
      if (ends) await pause(run.mac.around.clock, seconds(1), run.signal);
      else await new Promise(resolve => run.signal.addEventListener('abort', resolve, { once: true }));
      return Number(found[1]);
    };
  },
});

export const agentHost = (): TestHost => testHost({ parts: [agentPart, ...macParts] });

export function agentArtifact(version: string): Artifact {
  const content = machO(version);
  return {
    name: 'tart-kubelet',
    sha256: createHash('sha256').update(content).digest('hex'),
    async *open() {
      yield content;
    },
  };
}

export const slotFor = (version: string): string => slotOf(agentArtifact(version).sha256);

const SPEC = {
  nodeName: 'mini-01',
  kubeconfig: '/etc/tart-kubelet/kubeconfig',
  labels: { a: 'b&c' },
  role: 'node',
} as const;

export const agentWant = (version: string, more: Partial<AgentJob> = {}): AgentJob => ({
  label: AGENT_LABEL,
  user: 'm1',
  binary: agentArtifact(version).sha256,
  arguments: agentArguments(SPEC),
  environment: agentEnvironment('m1'),
  directories: [{ path: '/var/log/tart-vms', owner: 'm1:staff' }],
  logFile: '/var/log/tart-kubelet.log',
  ...more,
});

export const builderArguments = agentArguments({ ...SPEC, role: 'builder' });

/** Sends a version, then rolls to it: both steps, as a plan has them. */
export async function roll(given: TestHost, version: string, more: Partial<AgentJob> = {}) {
  await sendAgent(given, version);
  return rollSent(given, version, more);
}

/** Rolls to a version that was sent before, or should have been. */
export const rollSent = (given: TestHost, version: string, more: Partial<AgentJob> = {}) =>
  passTime(given.clock, convergeStep(given.host, planStep(agentJob, agentWant(version, more))));

export const sendAgent = (given: TestHost, version: string) =>
  convergeStep(given.host, planStep(agentBinary, { artifact: agentArtifact(version) }));

/** A host that runs a version already. */
export async function runningAgent(version: string): Promise<TestHost> {
  const given = agentHost();
  await roll(given, version);
  return given;
}

/** Runs a command as root. */
export const asRoot = async ({ mac, clock, root }: TestHost, command: string): Promise<string> =>
  (await passTime(clock, execute(mac, command, { user: root }))).out;

export const agentPid = async (given: TestHost): Promise<string | undefined> =>
  /^\tpid = (\d+)$/m.exec(await asRoot(given, `launchctl print system/${AGENT_LABEL}`))?.[1];

import type { CataloguedError } from '@minifleet/errors';
import type { Host } from '../../host.ts';
import { daemonFailure, runDaemonScript, sha256 } from '../../launchd/daemon-script.ts';
import { scriptFailure } from '../../launchd/script-failure.ts';
import { programIn, slotOf } from '../agent-binary/slots.ts';
import { type AgentJob, ownedPaths } from './agent-want.ts';
import { HOST_AGENT_PROGRAM_MISSING, HOST_AGENT_PROGRAM_REPLACED } from './errors.ts';
import type { Start } from './start-needed.ts';

/** One version of the agent: a program and the property list it runs with. */
export interface Version {
  readonly slot: string;
  readonly propertyList: string;
}

export interface AgentStart extends Version {
  readonly how: Start;
  /** Whether what runs now becomes `previous`; not when it is what failed. */
  readonly keepsPrevious: boolean;
}

const NO_PROGRAM = 84;
const REPLACED = 85;

/**
 * Makes a version current and starts it. Throws when nothing was touched; returns the failure when what ran before may
 * have been stopped already.
 */
export async function startAgent(host: Host, want: AgentJob, start: AgentStart): Promise<CataloguedError | undefined> {
  const { slot, propertyList, how, keepsPrevious } = start;
  const hash = sha256(propertyList);
  const roll = keepsPrevious ? `${slot}-${slotOf(hash)}` : '-';
  const owned = ownedPaths(want).flatMap(({ kind, path, owner }) => [kind, path, owner]);
  const script = {
    name: 'agent-roll',
    label: want.label,
    args: [slot, how, roll, hash, ...owned],
    stdin: propertyList,
  };
  const ran = await runDaemonScript(host, script);
  if (ran.exitCode === 0) return undefined;
  if (ran.exitCode === NO_PROGRAM) throw HOST_AGENT_PROGRAM_MISSING({ slot, address: host.address });
  const failure = daemonFailure(host, script, ran);
  if (!ran.stdout.startsWith('switching')) throw failure;
  return failure;
}

/** launchd has the job and started nothing. Whether it did now is for the next look to say. It registers nothing. */
export async function kickAgent(host: Host, { label }: AgentJob): Promise<void> {
  await host.run(['/bin/launchctl', 'kickstart', '-k', `system/${label}`], { root: true });
}

/**
 * Returns the failure: the version is current already, and has to be taken back. Throws when the program is somebody else's: the version
 * is not to blame, and the next run sends it anew.
 */
export async function resignAgent(host: Host, slot: string): Promise<CataloguedError | undefined> {
  const ran = await host.script('agent-resign', [slot]);
  if (ran.exitCode === 0) return undefined;
  if (ran.exitCode === REPLACED) throw HOST_AGENT_PROGRAM_REPLACED({ slot, address: host.address });
  return scriptFailure(host, { command: `agent-resign ${slot}`, path: programIn(slot) }, ran);
}

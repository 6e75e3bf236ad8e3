import type { LaunchDaemon } from '../../launchd/launch-daemon.ts';
import { CURRENT } from '../agent-binary/slots.ts';

/** A folder the agent writes into. */
export interface AgentDirectory {
  readonly path: string;
  readonly owner: string;
}

export interface AgentJob {
  readonly label: string;
  /** The account at the screen: Tart starts no macOS guest for anyone else. */
  readonly user: string;
  /** SHA-256 of the program `agent-binary` put into its slot. */
  readonly binary: string;
  /** From `agentArguments`. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directories: readonly AgentDirectory[];
  readonly logFile: string;
}

export const AGENT_LABEL = 'dev.tuist.tart-kubelet';

/** What people and launchd call: a link to the program in the current slot. */
export const AGENT_COMMAND = '/usr/local/bin/tart-kubelet';
export const AGENT_COMMAND_TARGET = `${CURRENT}/tart-kubelet`;

const THROTTLE_SECONDS = 10;

/** The job as launchd is to hold it. The command is a link, so a roll to another slot leaves these bytes as they are. */
export const daemonOf = (want: AgentJob): LaunchDaemon => ({
  label: want.label,
  arguments: [AGENT_COMMAND, ...want.arguments],
  user: want.user,
  environment: want.environment,
  keepAlive: true,
  throttleSeconds: THROTTLE_SECONDS,
  logFile: want.logFile,
});

/** What the agent writes to must belong to it: launchd itself opens the log as the agent's user (EX_CONFIG otherwise). */
export const ownedPaths = (want: AgentJob): readonly (AgentDirectory & { readonly kind: 'directory' | 'file' })[] => [
  ...want.directories.map(directory => ({ ...directory, kind: 'directory' as const })),
  { path: want.logFile, owner: `${want.user}:staff`, kind: 'file' },
];

import type { HostView } from '../../host.ts';
import { type DaemonState, lookAtDaemon } from '../../launchd/daemon-state.ts';
import { processAges } from '../../launchd/process-ages.ts';
import { describePaths, type PathFacts } from '../agent-binary/path-facts.ts';
import { AGENT_HOME, CURRENT, PREVIOUS } from '../agent-binary/slots.ts';
import { AGENT_COMMAND, type AgentJob, ownedPaths } from './agent-want.ts';

/** The agent on a host, from one round trip. Times are whole seconds of the host's own clock, which may be wrong. */
export interface AgentState {
  readonly daemon: DaemonState;
  /** The slot `current` leads to, and when it was last made to. */
  readonly current: { readonly slot: string; readonly switchedAt: number } | undefined;
  /** The slot that ran before the last roll. */
  readonly previous: string | undefined;
  readonly command: PathFacts | undefined;
  /** When the last roll to another program or other arguments began. */
  readonly rolledAt: number | undefined;
  readonly process: AgentProcess | undefined;
  /** The folders and the log, by path. */
  readonly owned: ReadonlyMap<string, PathFacts>;
  readonly now: number;
}

export interface AgentProcess {
  readonly pid: number;
  /** Undefined when it ended between launchd's answer and that of ps. */
  readonly age: number | undefined;
}

const ROLL = `${AGENT_HOME}/roll`;

export async function lookAtAgent(host: HostView, want: AgentJob): Promise<AgentState> {
  const owned = ownedPaths(want).map(({ path }) => path);
  const [daemon, paths, listing, date] = await Promise.all([
    lookAtDaemon(host, want.label),
    describePaths(host, [CURRENT, PREVIOUS, AGENT_COMMAND, ROLL, ...owned]),
    host.look(['/bin/ps', '-axo', 'pid=,etime=,command=']),
    // After ps: the start of a process, now less its age, then never looks earlier than it was.
    host.look(['/bin/date', '+%s']),
  ]);
  const current = paths.get(CURRENT);
  const pid = daemon.job?.pid;
  return {
    daemon,
    current: current?.kind === 'link' ? { slot: current.target, switchedAt: current.modified } : undefined,
    previous: paths.get(PREVIOUS)?.target || undefined,
    command: paths.get(AGENT_COMMAND),
    rolledAt: paths.get(ROLL)?.modified,
    process: pid === undefined ? undefined : { pid, age: processAges(listing.stdout).get(pid) },
    owned: paths,
    now: Number(date.stdout),
  };
}

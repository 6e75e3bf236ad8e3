import { pause, seconds } from '@minifleet/clock';
import { describePaths, type PathFacts } from '../../file-info.ts';
import type { Host, HostView } from '../../host.ts';
import { type DaemonState, needsReload, readDaemon, renderDaemon } from '../../launchd/launch-daemon.ts';
import { describeLastExit, isSignatureKill, processAges } from '../../launchd/printed-job.ts';
import { AGENT_HOME, CURRENT, PREVIOUS, slotOf } from '../agent-binary/agent-binary.ts';
import { AGENT_COMMAND, AGENT_COMMAND_TARGET, type AgentJob, daemonOf, ownedPaths } from './agent-launchd-job.ts';

const WITHIN = seconds(30);
const EVERY = seconds(1);
/** Nothing is old enough before that: one look instead of six for an agent that starts well. */
const FIRST_LOOK = seconds(5);

/** Looks at the agent until `enough` says so, for half a minute at most; returns the last look. */
export async function awaitAgent(
  host: Host,
  want: AgentJob,
  enough: (state: AgentState) => boolean,
): Promise<AgentState> {
  const deadline = host.clock.now() + WITHIN;
  await pause(host.clock, FIRST_LOOK);
  for (;;) {
    const state = await readAgent(host, want);
    if (enough(state) || host.clock.now() >= deadline) return state;
    await pause(host.clock, EVERY);
  }
}

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

interface AgentProcess {
  readonly pid: number;
  /** Undefined when it ended between launchd's answer and that of ps. */
  readonly age: number | undefined;
}

const ROLL = `${AGENT_HOME}/roll`;

export async function readAgent(host: HostView, want: AgentJob): Promise<AgentState> {
  const owned = ownedPaths(want).map(({ path }) => path);
  const [daemon, paths, listing, date] = await Promise.all([
    readDaemon(host, want.label),
    describePaths(host, [CURRENT, PREVIOUS, AGENT_COMMAND, ROLL, ...owned]),
    host.query(['/bin/ps', '-axo', 'pid=,etime=,command=']),
    // After ps: the start of a process, now less its age, then never looks earlier than it was.
    host.query(['/bin/date', '+%s']),
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

/** A process killed at its first page, or that gives up at once, is younger than this whenever one looks. */
const OLD_ENOUGH = 5;

/**
 * What keeps the agent from running: `gone` launchd will not start it by itself, `ending` it keeps ending, `young` it may
 * yet be fine, `stale` a process of before the last switch still runs (a kickstart that did nothing, I18).
 */
type AgentProblem = { readonly kind: 'gone' | 'ending' | 'young' | 'stale'; readonly words: string };

/** Undefined when the agent runs, has done so for a while, and was started from what `current` leads to. */
export function agentProblem(state: AgentState): AgentProblem | undefined {
  const { daemon, process, current, now } = state;
  const { job } = daemon;
  if (!job) return { kind: 'gone', words: 'the agent is not running' };
  const ended = describeLastExit(job.lastExit);
  if (!process) return notRunning(state, ended);
  if (process.age === undefined) return { kind: 'ending', words: `the agent just exited: ${ended}` };
  // A link from the future (the clock was set back) says nothing about what is older than it.
  const switchedAt = current && current.switchedAt <= now ? current.switchedAt : undefined;
  if (switchedAt !== undefined && now - process.age < switchedAt)
    return {
      kind: 'stale',
      words: `the agent (pid ${process.pid}) was started before ${current?.slot} became current`,
    };
  if (process.age >= OLD_ENOUGH) return undefined;
  return { kind: 'young', words: `the agent has been running for only ${process.age}s; before that ${ended}` };
}

function notRunning({ daemon }: AgentState, ended: string): AgentProblem {
  const { job } = daemon;
  if (job?.state === 'spawn scheduled')
    return { kind: 'ending', words: `the agent keeps exiting (${job.runs} starts): ${ended}` };
  // Past a number of registrations macOS no longer brings a daemon back (I17).
  const forgotten = job?.keepAlive ? ', and Background Task Management no longer lets launchd restart it' : '';
  return { kind: 'gone', words: `the agent is not running${forgotten}: ${ended}` };
}

/** Whether the kernel objects to the program's signature, as far as launchd has been told. */
export const killedForSignature = (state: AgentState): boolean =>
  agentProblem(state) !== undefined && isSignatureKill(state.daemon.job?.lastExit ?? { reason: undefined });

/** How the agent gets from here to there: as `agent-roll.sh` names it. */
export type AgentStartMode = 'prepare' | 'restart' | 'reload';

/**
 * Every `reload` is a registration that macOS counts until it stops respawning the agent, so a roll that changes the
 * program alone is a `restart` (I17). A process that is only young is given time first.
 */
export function startNeeded(state: AgentState, want: AgentJob): AgentStartMode {
  if (needsReload(state.daemon, daemonOf(want))) return 'reload';
  const kind = agentProblem(state)?.kind;
  return linkDifferences(state, want).length > 0 || (kind !== undefined && kind !== 'young') ? 'restart' : 'prepare';
}

/** Whether another program or other arguments are about to run: what can be rolled back. */
export const isRoll = ({ current, daemon }: AgentState, want: AgentJob): boolean =>
  current?.slot !== slotOf(want.binary) || daemon.propertyList !== renderDaemon(daemonOf(want));

export function linkDifferences({ current, command }: AgentState, want: AgentJob): string[] {
  const slot = slotOf(want.binary);
  const differences: string[] = [];
  if (current?.slot !== slot) differences.push(`the agent slot is ${current?.slot ?? 'missing'}, expected ${slot}`);
  if (command === undefined) differences.push('tart-kubelet is not in /usr/local/bin');
  else if (command.target !== AGENT_COMMAND_TARGET)
    differences.push(
      `/usr/local/bin/tart-kubelet is ${command.target === '' ? 'a file' : `a link to ${command.target}`}, expected a link to the current slot`,
    );
  return differences;
}

import { pause, seconds } from '@minifleet/clock';
import { describePaths, type PathFacts } from '../../file-info.ts';
import type { Host, HostView } from '../../host.ts';
import { lastLogLines } from '../../launchd/job-log.ts';
import { type DaemonState, needsReload, readDaemon, renderDaemon } from '../../launchd/launch-daemon.ts';
import { describeLastExit, isSignatureKill, processAges } from '../../launchd/printed-job.ts';
import { AGENT_HOME, CURRENT, PREVIOUS, slotOf } from '../agent-binary/agent-binary.ts';
import {
  AGENT_COMMAND,
  AGENT_COMMAND_TARGET,
  type AgentJob,
  daemonOf,
  kubeconfigOf,
  ownedPaths,
} from './agent-launchd-job.ts';

const STABLE_WITHIN = seconds(30);
const POLL_INTERVAL = seconds(1);
/** Nothing is old enough earlier: one inspection instead of six for an agent that starts normally. */
const FIRST_POLL = seconds(5);

/** Polls the agent until `enough` returns true, for at most 30 seconds; returns the last state. */
export async function awaitAgent(
  host: Host,
  want: AgentJob,
  enough: (state: AgentState) => boolean,
): Promise<AgentState> {
  const deadline = host.clock.now() + STABLE_WITHIN;
  await pause(host.clock, FIRST_POLL);
  for (;;) {
    const state = await readAgent(host, want);
    if (enough(state) || host.clock.now() >= deadline) return state;
    await pause(host.clock, POLL_INTERVAL);
  }
}

/** The agent on a host, from one round trip. Times are whole seconds of the host's clock, which may be wrong. */
export interface AgentState {
  readonly daemon: DaemonState;
  /** Slot that `current` points to, and the time of the last switch. */
  readonly current: { readonly slot: string; readonly switchedAt: number } | undefined;
  /** Slot before the last rollout. */
  readonly previous: string | undefined;
  readonly command: PathFacts | undefined;
  /** Time of the last write of the kubeconfig; undefined without one. */
  readonly credentialsAt: number | undefined;
  /** Start of the last rollout of another program or other arguments. */
  readonly rolledAt: number | undefined;
  readonly process: AgentProcessInfo | undefined;
  /** Directories and log file by path. */
  readonly owned: ReadonlyMap<string, PathFacts>;
  readonly now: number;
}

interface AgentProcessInfo {
  readonly pid: number;
  /** Undefined if it exited between the answers of launchd and ps. */
  readonly age: number | undefined;
}

const ROLL = `${AGENT_HOME}/roll`;

export async function readAgent(host: HostView, want: AgentJob): Promise<AgentState> {
  const owned = ownedPaths(want).map(({ path }) => path);
  const kubeconfig = kubeconfigOf(want);
  const [daemon, paths, listing, date] = await Promise.all([
    readDaemon(host, want.label),
    describePaths(host, [CURRENT, PREVIOUS, AGENT_COMMAND, ROLL, kubeconfig, ...owned]),
    host.query(['/bin/ps', '-axo', 'pid=,etime=,command=']),
    // After ps: the start time of a process (now minus its age) is then never too early.
    host.query(['/bin/date', '+%s']),
  ]);
  const current = paths.get(CURRENT);
  const pid = daemon.job?.pid;
  return {
    daemon,
    current: current?.kind === 'link' ? { slot: current.target, switchedAt: current.modified } : undefined,
    previous: paths.get(PREVIOUS)?.target || undefined,
    command: paths.get(AGENT_COMMAND),
    credentialsAt: paths.get(kubeconfig)?.modified,
    rolledAt: paths.get(ROLL)?.modified,
    process: pid === undefined ? undefined : { pid, age: processAges(listing.stdout).get(pid) },
    owned: paths,
    now: Number(date.stdout),
  };
}

/** A process that is killed at its first page, or exits at once, is always younger than this. */
const STABLE_AGE_SECONDS = 5;

/**
 * Reason why the agent is not healthy: `gone` launchd will not start it, `ending` it keeps exiting, `young` it may
 * become healthy, `stale` a process from before the last switch is still running (a kickstart without effect, I18), or
 * one from before its credentials were written: it may have joined another cluster, and reads the address only once.
 */
type AgentProblem = { readonly kind: 'gone' | 'ending' | 'young' | 'stale'; readonly words: string };

/** Undefined if the agent has been running for a while and was started from the current slot. */
export function agentProblem(state: AgentState): AgentProblem | undefined {
  const { daemon, process, current, credentialsAt, now } = state;
  const { job } = daemon;
  if (!job) return { kind: 'gone', words: 'the agent is not running' };
  const ended = describeLastExit(job.lastExit);
  if (!process) return notRunning(state, ended);
  if (process.age === undefined) return { kind: 'ending', words: `the agent just exited: ${ended}` };
  const startedAt = now - process.age;
  // A file from the future (the clock was set back) says nothing about older processes.
  const isBefore = (time: number | undefined): boolean => time !== undefined && time <= now && startedAt < time;
  const stale = (event: string) =>
    ({ kind: 'stale', words: `the agent (pid ${process.pid}) was started before ${event}` }) as const;
  if (isBefore(current?.switchedAt)) return stale(`${current?.slot} became current`);
  if (isBefore(credentialsAt)) return stale('its credentials were written');
  if (process.age >= STABLE_AGE_SECONDS) return undefined;
  return { kind: 'young', words: `the agent has been running for only ${process.age}s; before that ${ended}` };
}

function notRunning({ daemon }: AgentState, ended: string): AgentProblem {
  const { job } = daemon;
  if (job?.state === 'spawn scheduled')
    return { kind: 'ending', words: `the agent keeps exiting (${job.runs} starts): ${ended}` };
  // After a number of registrations macOS no longer restarts a daemon (I17).
  const forgotten = job?.keepAlive ? ', and Background Task Management no longer lets launchd restart it' : '';
  return { kind: 'gone', words: `the agent is not running${forgotten}: ${ended}` };
}

/**
 * Describes a problem with the last lines of the agent's log, if the agent itself exited: only they name the cause. Before its first line
 * the agent cannot fail by itself, so an end by macOS or launchd is described without them.
 */
export async function describeProblem(host: HostView, want: AgentJob, state: AgentState): Promise<string | undefined> {
  const problem = agentProblem(state);
  const { code, reason } = state.daemon.job?.lastExit ?? {};
  const exited = code !== undefined && code !== '0' && reason === undefined && !code.startsWith('78');
  if (!problem || !exited || problem.kind === 'stale') return problem?.words;
  const lines = await lastLogLines(host, want.logFile);
  return lines === undefined ? problem.words : `${problem.words}; its log ends with: ${lines}`;
}

/** True if the kernel rejects the code signature, according to launchd. */
export const killedForSignature = (state: AgentState): boolean =>
  agentProblem(state) !== undefined && isSignatureKill(state.daemon.job?.lastExit ?? { reason: undefined });

/** Start modes of `agent-roll.sh`. */
export type AgentStartMode = 'prepare' | 'restart' | 'reload';

/**
 * Every `reload` is a registration, which macOS counts until it stops respawning the agent. A rollout that changes only
 * the program is therefore a `restart` (I17). A process that is only young gets time first.
 */
export function startNeeded(state: AgentState, want: AgentJob): AgentStartMode {
  if (needsReload(state.daemon, daemonOf(want))) return 'reload';
  const kind = agentProblem(state)?.kind;
  return linkDifferences(state, want).length > 0 || (kind !== undefined && kind !== 'young') ? 'restart' : 'prepare';
}

/** True if another program or other arguments are about to run, so that a rollback is possible. */
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

import { minutes } from '@minifleet/clock';
import { type CataloguedError, defineError } from '@minifleet/errors';
import type { Host } from '../../host.ts';
import { daemonFailure, runDaemonScript, sha256 } from '../../launchd/daemon-script.ts';
import { renderDaemon } from '../../launchd/launch-daemon.ts';
import { scriptFailure } from '../../script-failure.ts';
import { AGENT_HOME, programIn, slotOf } from '../agent-binary/agent-binary.ts';
import { type AgentJob, daemonOf, ownedPaths } from './agent-launchd-job.ts';
import {
  type AgentStartMode,
  type AgentState,
  agentProblem,
  awaitAgent,
  describeProblem,
  killedForSignature,
  readAgent,
} from './agent-state.ts';

export const HOST_AGENT_NOT_STABLE = defineError('HOST_AGENT_NOT_STABLE', {
  // Each attempt stops the agent for 30 seconds, and one with other arguments is a registration that macOS counts.
  retry: { after: minutes(30) },
  reason: 'HostAgentNotStable',
  text: '{address}: node agent {slot} does not keep running ({why}); {outcome}; correct the cause, then retry ({log} has the whole log)',
});

export const HOST_AGENT_PROGRAM_MISSING = defineError('HOST_AGENT_PROGRAM_MISSING', {
  retry: 'backoff',
  reason: 'HostAgentProgramMissing',
  text: '{address}: slot {slot} contains no node agent; run the whole plan, which uploads the agent first; nothing was changed',
});

export const HOST_AGENT_PROGRAM_REPLACED = defineError('HOST_AGENT_PROGRAM_REPLACED', {
  retry: 'backoff',
  reason: 'HostAgentProgramReplaced',
  text: '{address}: another process overwrote the node agent in slot {slot} during this run; it was not signed, and the next run uploads it again',
});

/** Result of starting the desired version. */
interface RollResult {
  readonly notes: readonly string[];
  /** Reason why it is not running; undefined if it has been running for a while. */
  readonly trouble: string | undefined;
  readonly cause?: CataloguedError;
}

const DONE: Readonly<Record<Remedy, string>> = {
  'start again': 'restarted it',
  'load again': 'reloaded it in launchd',
  'sign again': 'signed it again',
};

/** Starts the desired version and waits until it is proven or no remedy is left. */
export async function rollAgent(host: Host, want: AgentJob, how: AgentStartMode): Promise<RollResult> {
  const version = { slot: slotOf(want.binary), propertyList: renderDaemon(daemonOf(want)) };
  const start = (by: AgentStartMode) => startAgent(host, want, { ...version, how: by, keepsPrevious: true });
  const tried = new Set<Remedy>();
  const notes: string[] = [];
  const enough = (state: AgentState): boolean => !agentProblem(state) || remedyFor(state, tried) !== undefined;
  let failure = await start(how);
  for (;;) {
    if (failure) return { notes, trouble: failure.message, cause: failure };
    const state = await awaitAgent(host, want, enough);
    const trouble = agentProblem(state);
    if (!trouble) return { notes, trouble: undefined };
    const remedy = remedyFor(state, tried);
    if (!remedy) return { notes, trouble: await describeProblem(host, want, state) };
    tried.add(remedy);
    notes.push(`${trouble.words}: ${DONE[remedy]}`);
    if (remedy === 'start again') await kickstartAgent(host, want);
    if (remedy === 'sign again') failure = await resignAgent(host, version.slot);
    if (remedy !== 'start again') failure ??= await start('reload');
  }
}

/** Remedies for an agent that was started and does not run. Each is tried once. */
type Remedy = 'start again' | 'load again' | 'sign again';

/**
 * A kickstart may succeed without effect (I18), and launchd may no longer start the job by itself (I17): start again.
 * Another process may have booted the job out just before: load again. A kill for the signature may come from a stale
 * kernel entry or from the code that the daemon is bound to: a new signature in a new file, bootstrapped again, fixes
 * both (I19). A program that exits by itself is left to KeepAlive.
 */
export function remedyFor(state: AgentState, tried: ReadonlySet<Remedy>): Remedy | undefined {
  const remedy = remedyOf(state);
  return remedy !== undefined && !tried.has(remedy) ? remedy : undefined;
}

function remedyOf(state: AgentState): Remedy | undefined {
  if (!state.daemon.job) return 'load again';
  if (killedForSignature(state)) return 'sign again';
  const kind = agentProblem(state)?.kind;
  return kind === 'stale' || kind === 'gone' ? 'start again' : undefined;
}

/** One version of the agent: a program and its property list. */
interface AgentVersion {
  readonly slot: string;
  readonly propertyList: string;
}

interface AgentStart extends AgentVersion {
  readonly how: AgentStartMode;
  /** True if the running version becomes `previous`; false if it is the one that failed. */
  readonly keepsPrevious: boolean;
}

const NO_PROGRAM = 84;
const REPLACED = 85;

/**
 * Makes a version current and starts it. Throws if nothing was touched; returns the failure if the previous version may
 * already be stopped.
 */
async function startAgent(host: Host, want: AgentJob, start: AgentStart): Promise<CataloguedError | undefined> {
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

/**
 * For a job that launchd has loaded but not started. The next inspection shows whether it helped. Not a registration.
 */
async function kickstartAgent(host: Host, { label }: AgentJob): Promise<void> {
  await host.run(['/bin/launchctl', 'kickstart', '-k', `system/${label}`], { root: true });
}

/**
 * Returns the failure, because the version is already current and must be rolled back. Throws if another process
 * replaced the program: the version is not at fault, and the next run uploads it again.
 */
async function resignAgent(host: Host, slot: string): Promise<CataloguedError | undefined> {
  const ran = await host.script('agent-resign', [slot]);
  if (ran.exitCode === 0) return undefined;
  if (ran.exitCode === REPLACED) throw HOST_AGENT_PROGRAM_REPLACED({ slot, address: host.address });
  return scriptFailure(host, { command: `agent-resign ${slot}`, path: programIn(slot) }, ran);
}

/** Restores the previous version and returns the result as text. `before` is the state before the rollout. */
export async function rollBack(host: Host, want: AgentJob, before: AgentState): Promise<string> {
  const version = await previousVersion(host, want);
  if (!version) return 'there is no previous version to roll back to, it was left in place';
  const same = version.propertyList === renderDaemon(daemonOf(want));
  const failure = await startAgent(host, want, { ...version, how: same ? 'restart' : 'reload', keepsPrevious: false });
  if (failure) return `rollback to ${version.slot} also failed (${failure.message})`;
  // A process from before the rollout was never stopped and is the desired one.
  const back = (state: AgentState): boolean => !agentProblem(state) || survived(state, before);
  const after = await awaitAgent(host, want, back);
  if (back(after)) return `it was rolled back to ${version.slot}, which is running`;
  return `it was rolled back to ${version.slot}, which does not keep running either (${agentProblem(after)?.words})`;
}

const survived = (state: AgentState, before: AgentState): boolean =>
  state.process?.age !== undefined && state.process.pid === before.process?.pid;

/** Version kept by the rollout; undefined if there is none or it is the one that just failed. */
async function previousVersion(host: Host, want: AgentJob): Promise<AgentVersion | undefined> {
  const [{ previous: slot }, propertyList] = await Promise.all([
    readAgent(host, want),
    host.readText(`${AGENT_HOME}/previous.plist`),
  ]);
  if (slot === undefined || propertyList === undefined) return undefined;
  const failed = slot === slotOf(want.binary) && propertyList === renderDaemon(daemonOf(want));
  return failed ? undefined : { slot, propertyList };
}

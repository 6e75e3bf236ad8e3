/** Derives a container's terminated state from the observed facts. Pure, so that a test has a row for every exit. */
import { type Duration, formatDuration } from '@minifleet/clock';
import type { GuestExit } from '../guest.ts';
import { printable } from '../printable.ts';
import type { VmEnd } from './vm.ts';

/** Stages before a guest runs; the last one reached is reported (I40). */
export type BootStage = 'start' | 'boot' | 'agent' | 'address';

export interface ExitFacts {
  readonly vm: VmEnd;
  readonly startedAt: number | undefined;
  readonly finishedAt: number;
  /** A stop was requested. */
  readonly stopped: boolean;
  readonly process: ProcessFacts;
  readonly bootTimedOut?: { readonly stage: BootStage; readonly within: Duration } | undefined;
}

export type ProcessFacts =
  /** The VM itself is the process. */
  | { readonly state: 'none' }
  | { readonly state: 'unfinished' }
  /** The connection to the process broke, and the VM did not report why. */
  | { readonly state: 'lost'; readonly why: string }
  | { readonly state: 'exited'; readonly code: number };

type ExitDecision = Pick<GuestExit, 'exitCode' | 'reason' | 'message'>;

export const judgeExit = (facts: ExitFacts): GuestExit => ({
  ...decideExit(facts),
  startedAt: facts.startedAt,
  finishedAt: facts.finishedAt,
});

const KILLED = 137;
/** Exit code that container runtimes use for a container that never started. */
const NEVER_STARTED = 128;

function decideExit(facts: ExitFacts): ExitDecision {
  const { vm, process, stopped } = facts;
  // The exit code of the process takes precedence: the agent stops the VM afterwards.
  if (process.state === 'exited') return processExit(process.code, stopped);
  if (facts.bootTimedOut && !stopped) return bootExit(facts.bootTimedOut);
  if (vm.ending === 'crashed') return { exitCode: 1, reason: 'VMCrashed', message: printable(vm.lastOutput) };
  if (vm.ending === 'network lost') return { exitCode: 1, reason: 'NetworkLost', message: printable(vm.lastOutput) };
  if (vm.ending === 'halted') return haltExit(facts);
  // The supervisor itself cut the power after the process was lost.
  if (process.state === 'lost' && !stopped && vm.ending === 'power cut')
    return { exitCode: KILLED, reason: 'Error', message: printable(process.why) };
  if (stopped) return { exitCode: KILLED, reason: 'Killed', message: 'killed at the end of the grace period' };
  return facts.startedAt === undefined ? startExit(vm) : powerLossExit(vm);
}

function processExit(code: number, stopped: boolean): ExitDecision {
  // The guest agent returns -1 for any process ended by a signal, without naming it.
  const exitCode = code >= 0 ? code : stopped ? 143 : KILLED;
  if (exitCode === 0) return { exitCode, reason: 'Completed', message: '' };
  return { exitCode, reason: 'Error', message: '' };
}

const bootExit = ({ stage, within }: NonNullable<ExitFacts['bootTimedOut']>): ExitDecision => ({
  exitCode: NEVER_STARTED,
  reason: 'BootTimedOut',
  message: `${STAGE_MESSAGES[stage]} within ${formatDuration(within)} (stage ${stage})`,
});

const STAGE_MESSAGES: Readonly<Record<BootStage, string>> = {
  start: 'Tart did not open the VM’s control socket',
  boot: 'the guest neither requested an address nor did its agent answer',
  agent: 'the guest has an address, but its agent did not answer',
  address: 'the guest’s agent answers, but the guest got no address',
};

function haltExit({ process, stopped, startedAt }: ExitFacts): ExitDecision {
  if (process.state === 'none' && (stopped || startedAt !== undefined)) {
    return { exitCode: 0, reason: 'Completed', message: '' };
  }
  if (stopped) return { exitCode: KILLED, reason: 'Killed', message: 'the guest shut down before its process ended' };
  if (startedAt === undefined) {
    return { exitCode: NEVER_STARTED, reason: 'StartFailed', message: 'the guest halted before it had booted' };
  }
  return { exitCode: KILLED, reason: 'Killed', message: 'the guest halted before the Pod’s process ended' };
}

const startExit = (vm: VmEnd): ExitDecision => ({
  exitCode: NEVER_STARTED,
  reason: 'StartFailed',
  message: printable(vm.lastOutput) || `tart run ended ${exitDescription(vm)}`,
});

const powerLossExit = (vm: VmEnd): ExitDecision => ({
  exitCode: KILLED,
  reason: 'Killed',
  message:
    vm.ending === 'power cut' ? 'the VM was stopped from outside the agent' : `tart run ended ${exitDescription(vm)}`,
});

const exitDescription = ({ exitCode, signal }: VmEnd): string =>
  signal === undefined ? `with code ${exitCode ?? 'unknown'}` : `by ${signal}`;

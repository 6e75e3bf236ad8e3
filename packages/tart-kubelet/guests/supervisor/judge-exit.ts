/** From what was seen to a container's terminated state: pure, so that every way to end is a row in a test. */
import { type Duration, formatDuration } from '@minifleet/clock';
import type { GuestExit } from '../guest.ts';
import { plainWords } from '../printable.ts';
import type { VmEnd } from './vm.ts';

/** Where a guest can be stuck before it runs; the last one reached is named (I40). */
export type BootStage = 'start' | 'boot' | 'agent' | 'address';

export interface ExitFacts {
  readonly vm: VmEnd;
  readonly startedAt: number | undefined;
  readonly finishedAt: number;
  /** Somebody asked for the end. */
  readonly stopped: boolean;
  readonly process: ProcessFacts;
  readonly bootTimedOut?: { readonly stage: BootStage; readonly within: Duration } | undefined;
}

export type ProcessFacts =
  /** The VM itself is the process. */
  | { readonly state: 'none' }
  | { readonly state: 'unfinished' }
  /** The connection to it broke, and the VM did not say why. */
  | { readonly state: 'lost'; readonly why: string }
  | { readonly state: 'exited'; readonly code: number };

type Verdict = Pick<GuestExit, 'exitCode' | 'reason' | 'message'>;

export const judgeExit = (facts: ExitFacts): GuestExit => ({
  ...verdict(facts),
  startedAt: facts.startedAt,
  finishedAt: facts.finishedAt,
});

const KILLED = 137;
/** The code container runtimes give to what never started. */
const NEVER_STARTED = 128;

function verdict(facts: ExitFacts): Verdict {
  const { vm, process, stopped } = facts;
  // The process' own word counts first: what the VM does afterwards is ours.
  if (process.state === 'exited') return ofProcess(process.code, stopped);
  if (facts.bootTimedOut && !stopped) return ofBoot(facts.bootTimedOut);
  if (vm.ending === 'crashed') return { exitCode: 1, reason: 'VMCrashed', message: plainWords(vm.words) };
  if (vm.ending === 'network lost') return { exitCode: 1, reason: 'NetworkLost', message: plainWords(vm.words) };
  if (vm.ending === 'halted') return ofHalt(facts);
  // It was we who cut the power, once it was lost.
  if (process.state === 'lost' && !stopped && vm.ending === 'power cut')
    return { exitCode: KILLED, reason: 'Error', message: plainWords(process.why) };
  if (stopped)
    return { exitCode: KILLED, reason: 'Killed', message: 'the power was cut at the end of the grace period' };
  return facts.startedAt === undefined ? ofStart(vm) : ofPowerLoss(vm);
}

function ofProcess(code: number, stopped: boolean): Verdict {
  // The agent gives -1 for a process ended by a signal, and does not say which.
  const exitCode = code >= 0 ? code : stopped ? 143 : KILLED;
  if (exitCode === 0) return { exitCode, reason: 'Completed', message: '' };
  return { exitCode, reason: 'Error', message: '' };
}

const ofBoot = ({ stage, within }: NonNullable<ExitFacts['bootTimedOut']>): Verdict => ({
  exitCode: NEVER_STARTED,
  reason: 'BootTimedOut',
  message: `${WAITED_FOR[stage]} within ${formatDuration(within)} (stage ${stage})`,
});

const WAITED_FOR: Readonly<Record<BootStage, string>> = {
  start: 'Tart did not open the VM’s control socket',
  boot: 'the guest neither asked for an address nor did its agent answer',
  agent: 'the guest has an address, but its agent did not answer',
  address: 'the guest’s agent answers, but the guest got no address',
};

function ofHalt({ process, stopped, startedAt }: ExitFacts): Verdict {
  if (process.state === 'none' && (stopped || startedAt !== undefined)) {
    return { exitCode: 0, reason: 'Completed', message: '' };
  }
  if (stopped) return { exitCode: KILLED, reason: 'Killed', message: 'the guest shut down before its process ended' };
  if (startedAt === undefined) {
    return { exitCode: NEVER_STARTED, reason: 'StartFailed', message: 'the guest halted before it had booted' };
  }
  return { exitCode: KILLED, reason: 'Killed', message: 'the guest halted before the Pod’s process ended' };
}

const ofStart = (vm: VmEnd): Verdict => ({
  exitCode: NEVER_STARTED,
  reason: 'StartFailed',
  message: plainWords(vm.words) || `tart run ended ${manner(vm)}`,
});

const ofPowerLoss = (vm: VmEnd): Verdict => ({
  exitCode: KILLED,
  reason: 'Killed',
  message: vm.ending === 'power cut' ? 'somebody else stopped the VM' : `tart run ended ${manner(vm)}`,
});

const manner = ({ exitCode, signal }: VmEnd): string =>
  signal === undefined ? `with code ${exitCode ?? 'unknown'}` : `by ${signal}`;

import { type Clock, pause, seconds } from '@minifleet/clock';
import type { GuestExit, GuestScreen, GuestState } from '../guest.ts';
import { guestName } from '../guest-name.ts';
import type { GuestRecord } from '../record.ts';
import { controlSocket, createTart, runArguments, runEnvironment, tartEnvironment } from '../tart.ts';
import { type BootResult, waitForBoot } from './boot.ts';
import { type CriLog, openCriLog } from './cri-log.ts';
import { watchProcess } from './guest-process.ts';
import { judgeExit } from './judge-exit.ts';
import { type StopOrders, stopVm } from './stop-orders.ts';
import { isOrdinary, startVm, type Vm, type VmEnd } from './vm.ts';

interface RunGuestOptions {
  readonly record: GuestRecord;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly orders: StopOrders;
  readonly logBytes?: number | undefined;
  /** Called as soon as `tart run` has a pid, which is also its process group. */
  onVm(pid: number): void;
  onState(state: GuestState): void;
  readonly onScreen: (screen: GuestScreen) => void;
  /** Called once, as soon as the exit is certain: for a guest with a process, that is before the VM is gone. */
  onExit(exit: GuestExit): Promise<void>;
}

/** Grace period for a VM whose process has ended; then its power is cut. */
const LAST_GRACE = seconds(10);
/** Time for Tart's explanation to arrive after the guest was lost. */
const LAST_OUTPUT = seconds(2);

/** Runs one VM, from `tart run` to its end. */
export async function runGuest(options: RunGuestOptions): Promise<GuestExit> {
  const { spec, tart } = options.record;
  const limit = options.logBytes === undefined ? {} : { maxBytes: options.logBytes };
  const log = openCriLog({ path: spec.logFile, clock: options.clock, ...limit });
  const vm = startVm({
    path: tart.path,
    argv: runArguments(guestName(spec.id), spec),
    environment: { ...tartEnvironment(options.environment, tart.home), ...runEnvironment(spec) },
    onScreen: options.onScreen,
    onLine: (stream, line) => {
      if (!spec.process || !isOrdinary(line)) log.write(stream, Buffer.from(`${line}\n`));
    },
  });
  if (vm.pid !== undefined) options.onVm(vm.pid);
  try {
    return await runToExit({ ...options, vm, log, controlSocket: controlSocketOf(options.record) });
  } finally {
    // Whatever failed above, a VM must not be left without a supervisor.
    vm.signal('SIGKILL');
    await vm.ended;
    log.close();
  }
}

const controlSocketOf = ({ spec, tart }: GuestRecord): string => controlSocket(tart.home, guestName(spec.id));

interface GuestRun extends RunGuestOptions {
  readonly vm: Vm;
  readonly log: CriLog;
  readonly controlSocket: string;
}

async function runToExit(run: GuestRun): Promise<GuestExit> {
  const boot = await awaitBoot(run);
  return boot.outcome === 'booted' ? runBooted(run, boot) : endUnbooted(run, boot);
}

function awaitBoot({ record, clock, environment, vm, orders, controlSocket }: GuestRun): Promise<BootResult> {
  const { spec, tart } = record;
  const giveUp = new AbortController();
  void Promise.race([vm.ended, orders.first]).then(() => giveUp.abort());
  const { path, home } = tart;
  const hasLease = async (): Promise<boolean> =>
    (await createTart({ path, home, clock, environment })
      .addressOf(guestName(spec.id))
      .catch(() => undefined)) !== undefined;
  return waitForBoot({ controlSocket, clock, within: spec.bootWithin, signal: giveUp.signal, hasLease });
}

async function endUnbooted(run: GuestRun, boot: Exclude<BootResult, { outcome: 'booted' }>): Promise<GuestExit> {
  const { vm, orders, clock, record, controlSocket } = run;
  const stopped = orders.given;
  orders.order(seconds(0));
  await stopVm({ vm, orders, controlSocket, agent: undefined, process: undefined });
  const exit = judgeExit({
    vm: await vm.ended,
    startedAt: undefined,
    finishedAt: clock.now(),
    stopped,
    process: record.spec.process ? { state: 'unfinished' } : { state: 'none' },
    bootTimedOut: boot.outcome === 'timed out' ? { stage: boot.stage, within: record.spec.bootWithin } : undefined,
  });
  await run.onExit(exit);
  return exit;
}

async function runBooted(
  run: GuestRun,
  { agent, address }: Extract<BootResult, { outcome: 'booted' }>,
): Promise<GuestExit> {
  const { vm, orders, clock, record, log, controlSocket } = run;
  const startedAt = clock.now();
  const conclude = async (vmEnd: VmEnd, stopped: boolean): Promise<GuestExit> => {
    const exit = judgeExit({ vm: vmEnd, startedAt, finishedAt: clock.now(), stopped, process: process.facts });
    await run.onExit(exit);
    return exit;
  };
  let concluded: Promise<GuestExit> | undefined;
  const process = watchProcess({
    agent,
    spec: record.spec,
    address,
    onOutput: (stream, data) => log.write(stream, data),
    onExit: () => {
      concluded = conclude(NOT_YET, orders.given);
    },
  });
  run.onState({ phase: 'running', startedAt, address });
  await Promise.race([vm.ended, orders.first, process.settled]);
  if (process.facts.state === 'lost') await Promise.race([vm.ended, pause(clock, LAST_OUTPUT)]);
  const stopped = orders.given;
  if (!stopped) orders.order(LAST_GRACE);
  await stopVm({ vm, orders, controlSocket, agent, process: process.running });
  agent.close();
  return concluded ?? conclude(await vm.ended, stopped);
}

/** The VM's end is irrelevant once the exit code of the process is known. */
const NOT_YET: VmEnd = { exitCode: undefined, signal: undefined, ending: undefined, lastOutput: '' };

import { join } from 'node:path';
import { type Clock, pause, seconds } from '@minifleet/clock';
import type { GuestExit, GuestScreen, GuestState } from '../guest.ts';
import { guestName } from '../guest-name.ts';
import type { GuestRecord } from '../record.ts';
import { bundlePath, createTart, runArguments, runEnvironment, tartEnvironment } from '../tart.ts';
import { type Boot, waitForBoot } from './boot.ts';
import { type CriLog, openCriLog } from './cri-log.ts';
import { watchProcess } from './guest-process.ts';
import { judgeExit } from './judge-exit.ts';
import { bringDown, type StopOrders } from './stop-orders.ts';
import { isOrdinary, startVm, type Vm, type VmEnd } from './vm.ts';

interface RunGuestOptions {
  readonly record: GuestRecord;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly orders: StopOrders;
  readonly logBytes?: number | undefined;
  /** Called as soon as `tart run` has a pid, which is also its group's. */
  onVm(pid: number): void;
  onState(state: GuestState): void;
  readonly onScreen: (screen: GuestScreen) => void;
  /** Called once, as soon as the exit is certain: with a process that is before the VM is gone. */
  onExit(exit: GuestExit): Promise<void>;
}

/** A VM whose work is done may take this long to shut down; then its power is cut. */
const LAST_GRACE = seconds(10);
/** When the guest is lost, the line that says why follows within a moment. */
const LAST_WORDS = seconds(2);

/** The life of one VM, from `tart run` to its end. */
export async function runGuest(options: RunGuestOptions): Promise<GuestExit> {
  const { spec, tart } = options.record;
  const limit = options.logBytes === undefined ? {} : { mostBytes: options.logBytes };
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
    return await live({ ...options, vm, log, controlSocket: controlSocketOf(options.record) });
  } finally {
    // Whatever went wrong above, a VM is not left without its supervisor.
    vm.signal('SIGKILL');
    await vm.ended;
    log.close();
  }
}

const controlSocketOf = ({ spec, tart }: GuestRecord): string =>
  join(bundlePath(tart.home, guestName(spec.id)), 'control.sock');

interface Life extends RunGuestOptions {
  readonly vm: Vm;
  readonly log: CriLog;
  readonly controlSocket: string;
}

async function live(life: Life): Promise<GuestExit> {
  const boot = await booting(life);
  return boot.outcome === 'booted' ? running(life, boot) : neverRan(life, boot);
}

function booting({ record, clock, environment, vm, orders, controlSocket }: Life): Promise<Boot> {
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

async function neverRan(life: Life, boot: Exclude<Boot, { outcome: 'booted' }>): Promise<GuestExit> {
  const { vm, orders, clock, record, controlSocket } = life;
  const stopped = orders.given;
  orders.order(seconds(0));
  await bringDown({ vm, orders, controlSocket, agent: undefined, process: undefined });
  const exit = judgeExit({
    vm: await vm.ended,
    startedAt: undefined,
    finishedAt: clock.now(),
    stopped,
    process: record.spec.process ? { state: 'unfinished' } : { state: 'none' },
    bootTimedOut: boot.outcome === 'timed out' ? { stage: boot.stage, within: record.spec.bootWithin } : undefined,
  });
  await life.onExit(exit);
  return exit;
}

async function running(life: Life, { agent, address }: Extract<Boot, { outcome: 'booted' }>): Promise<GuestExit> {
  const { vm, orders, clock, record, log, controlSocket } = life;
  const startedAt = clock.now();
  const conclude = async (seen: VmEnd, stopped: boolean): Promise<GuestExit> => {
    const exit = judgeExit({ vm: seen, startedAt, finishedAt: clock.now(), stopped, process: work.facts });
    await life.onExit(exit);
    return exit;
  };
  let concluded: Promise<GuestExit> | undefined;
  const work = watchProcess({
    agent,
    spec: record.spec,
    address,
    onOutput: (stream, data) => log.write(stream, data),
    onExit: () => {
      concluded = conclude(NOT_YET, orders.given);
    },
  });
  life.onState({ phase: 'running', startedAt, address });
  await Promise.race([vm.ended, orders.first, work.settled]);
  if (work.facts.state === 'lost') await Promise.race([vm.ended, pause(clock, LAST_WORDS)]);
  const stopped = orders.given;
  if (!stopped) orders.order(LAST_GRACE);
  await bringDown({ vm, orders, controlSocket, agent, process: work.running });
  agent.close();
  return concluded ?? conclude(await vm.ended, stopped);
}

/** With a process' code in hand, the VM's own end no longer matters. */
const NOT_YET: VmEnd = { exitCode: undefined, signal: undefined, ending: undefined, words: '' };

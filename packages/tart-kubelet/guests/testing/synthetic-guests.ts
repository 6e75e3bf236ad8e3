import { PassThrough } from 'node:stream';
import { type Clock, type Duration, milliseconds, pause, type Timer } from '@minifleet/clock';
import type {
  ExecOptions,
  ExecSession,
  Guest,
  GuestExit,
  GuestId,
  GuestScreen,
  GuestSpec,
  GuestState,
  Guests,
} from '../guest.ts';

interface SyntheticGuestsOptions {
  readonly clock: Clock;
  readonly behave?: Behave;
}

/** Guests without a Mac: the life of a VM on a clock, in memory. Hundreds of agents fit into one process. */
export interface SyntheticGuests extends Guests {
  /** Every spec that was started, in order. */
  readonly started: readonly GuestSpec[];
  /** Ends a guest from within, as a process or a crash would. */
  end(id: GuestId, exit: Partial<GuestExit>): void;
  /** Forgets a guest as a lost state directory would. */
  lose(id: GuestId): void;
}

interface Living {
  spec: GuestSpec;
  state: GuestState;
  readonly run: SyntheticRun;
  timer: Timer | undefined;
  /** Time of the power cut; a later stop may only bring it forward. */
  powerCut: { readonly at: number; readonly timer: Timer } | undefined;
  readonly ended: PromiseWithResolvers<void>;
}

const nameOf = ({ uid, attempt }: GuestId): string => `pod-${uid}-${attempt}`;

export function createSyntheticGuests({ clock, behave = () => ({}) }: SyntheticGuestsOptions): SyntheticGuests {
  const living = new Map<string, Living>();
  const listeners = new Set<(guest: Guest) => void>();
  const started: GuestSpec[] = [];

  function become(guest: Living, state: GuestState): void {
    guest.state = state;
    for (const listener of listeners) listener({ spec: guest.spec, state });
  }

  function end(guest: Living, exit: Partial<GuestExit>): void {
    if (guest.state.phase === 'exited') return;
    guest.timer?.cancel();
    guest.powerCut?.timer.cancel();
    const startedAt = guest.state.phase === 'running' ? guest.state.startedAt : undefined;
    const exitCode = exit.exitCode ?? 0;
    const reason = exit.reason ?? (exitCode === 0 ? 'Completed' : 'Error');
    const finishedAt = exit.finishedAt ?? clock.now();
    become(guest, { phase: 'exited', exit: { exitCode, reason, message: exit.message ?? '', startedAt, finishedAt } });
    guest.ended.resolve();
  }

  function boot(guest: Living): void {
    become(guest, { phase: 'starting', since: clock.now() });
    guest.timer = clock.after(guest.run.bootsIn ?? milliseconds(0), () => {
      const { exits, address = '192.168.64.2' } = guest.run;
      become(guest, { phase: 'running', startedAt: clock.now(), address });
      guest.timer = exits && clock.after(exits.after, () => end(guest, exits));
    });
  }

  /** A shorter grace wins over the one before. */
  function cutPowerAfter(guest: Living, grace: Duration): void {
    const at = clock.now() + grace;
    if (guest.powerCut && guest.powerCut.at <= at) return;
    guest.powerCut?.timer.cancel();
    const cut = (): void => end(guest, { exitCode: 137, reason: 'Killed', message: 'the power was cut' });
    guest.powerCut = { at, timer: clock.after(grace, cut) };
  }

  const get = (id: GuestId): Living => {
    const guest = living.get(nameOf(id));
    if (!guest) throw new Error(`no guest ${nameOf(id)}`);
    return guest;
  };

  return {
    started,
    recover: () => Promise.resolve(),
    async inherit(vms) {
      for (const { id, pod, name, startedAt, address } of vms) {
        if (living.has(nameOf(id))) continue;
        const unused = { image: '', shares: [], freshIdentity: false, logFile: '', bootWithin: milliseconds(0) };
        const ended = Promise.withResolvers<void>();
        const state: GuestState = { phase: 'running', startedAt, address };
        const spec = { id, pod, vmName: name, ...unused };
        living.set(nameOf(id), { spec, state, run: behave(spec), timer: undefined, powerCut: undefined, ended });
      }
    },
    all: () => [...living.values()].map(({ spec, state }) => ({ spec, state })),
    find: id => {
      const guest = living.get(nameOf(id));
      return guest && { spec: guest.spec, state: guest.state };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start(spec) {
      if (living.has(nameOf(spec.id))) return;
      const run = behave(spec);
      if (run.failsToStart) throw run.failsToStart;
      const state: GuestState = { phase: 'creating' };
      const ended = Promise.withResolvers<void>();
      const guest: Living = { spec, state, run, timer: undefined, powerCut: undefined, ended };
      living.set(nameOf(spec.id), guest);
      started.push(spec);
      become(guest, state);
      boot(guest);
    },
    async stop(id, grace) {
      const guest = get(id);
      if (guest.state.phase === 'exited') return;
      cutPowerAfter(guest, grace);
      const { ignoresShutdown, shutsDownIn = milliseconds(0) } = guest.run;
      if (!ignoresShutdown) void pause(clock, shutsDownIn).then(() => end(guest, {}));
      await guest.ended.promise;
    },
    async remove(id) {
      const guest = living.get(nameOf(id));
      if (guest && guest.state.phase !== 'exited') throw new Error(`${nameOf(id)} is ${guest.state.phase}`);
      living.delete(nameOf(id));
    },
    async exec(id, options) {
      const guest = get(id);
      if (guest.state.phase !== 'running') throw new Error(`${nameOf(id)} is ${guest.state.phase}`);
      return synthesizeExec(guest.run, options, clock);
    },
    screen: async id => living.get(nameOf(id))?.run.screen,
    end: (id, exit) => end(get(id), exit),
    lose: id => void living.delete(nameOf(id)),
  };
}

/** A command in a synthetic guest: as the run scripts it, or an echo. */
function synthesizeExec(run: SyntheticRun, options: ExecOptions, clock: Clock): ExecSession {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const closed = new AbortController();
  const ended = async (): Promise<number> => {
    if (!run.exec && options.stdin) return echo(stdin, stdout);
    const command = (await run.exec?.(options)) ?? { output: `${options.argv.join(' ')}\n` };
    return play(command);
  };
  const play = async ({ after, output = '', exitCode = 0 }: SyntheticCommand): Promise<number> => {
    if (after) await pause(clock, after, closed.signal);
    if (closed.signal.aborted) throw new Error('the session was closed');
    stdout.end(output);
    stderr.end();
    return exitCode;
  };
  const exited = ended();
  exited.catch(() => undefined);
  return { stdin, stdout, stderr, exited, resize: () => undefined, close: () => closed.abort() };
}

async function echo(stdin: PassThrough, stdout: PassThrough): Promise<number> {
  stdin.pipe(stdout);
  await new Promise(resolve => stdin.once('end', resolve));
  return 0;
}

/** Behaviour of one synthetic guest (default: everything succeeds immediately). */

export interface SyntheticRun {
  readonly bootsIn?: Duration;
  readonly address?: string;
  readonly screen?: GuestScreen;
  /** Ends by itself, this long after it runs. */
  readonly exits?: { readonly after: Duration } & Partial<GuestExit>;
  /** `start` rejects with it, and nothing exists afterwards. */
  readonly failsToStart?: Error;
  readonly shutsDownIn?: Duration;
  /** Runs on until the power is cut at the end of its grace. */
  readonly ignoresShutdown?: boolean;
  /** Behaviour of a command (default: echoes its input or arguments). */
  readonly exec?: (options: ExecOptions) => SyntheticCommand | Promise<SyntheticCommand>;
}

interface SyntheticCommand {
  readonly exitCode?: number;
  readonly output?: string;
  /** Takes this long. */
  readonly after?: Duration;
}

export type Behave = (spec: GuestSpec) => SyntheticRun;

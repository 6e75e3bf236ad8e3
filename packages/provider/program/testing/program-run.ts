import type { Clock, Timer } from '@minifleet/clock';

export type EffectKind = 'api' | 'vendor' | 'vendor read' | 'host';

/** Operation that changes state outside the process, or a read from the vendor, which may fail. */
export interface Effect<Kind extends string = EffectKind> {
  readonly kind: Kind;
  /** `patch machosts/status`, `rename`, `command 3 of job 1`. */
  readonly name: string;
  /** Position among the effects of the same name, counted from 1. */
  readonly nth: number;
}

/**
 * Fault that a test injects at an effect. `rejected`: the effect does not happen, and the other side reports an error (a Conflict,
 * a 5xx, a connection reset). `response lost`: the effect happens, and the process receives a connection error. A promise delays the
 * effect until it resolves.
 */
export type FaultAction =
  | 'killed before'
  | 'killed after'
  | 'rejected'
  | 'response lost'
  | { readonly until: Promise<void> };

/** Results that the process receives when a fault is injected. */
export interface FaultResponses<T> {
  /** Called instead of the effect. */
  rejected(): Promise<T>;
  /** Called after the effect. */
  responseLost(): Promise<T>;
}

/** One simulated process of a program. A test can kill it at any effect. A killed process has no further effects. */
export interface ProgramRun<Kind extends string = EffectKind> {
  /** A kill cancels the timers of this clock. */
  readonly clock: Clock;
  readonly effects: readonly Effect<Kind>[];
  readonly killed: boolean;
  kill(): void;
  onKill(listener: () => void): void;
  read<T>(act: () => Promise<T>): Promise<T>;
  act<T>(what: Pick<Effect<Kind>, 'kind' | 'name'>, act: () => Promise<T>, responses: FaultResponses<T>): Promise<T>;
}

/** Called before every effect. Returns the fault to inject, or undefined for none. */
export type EffectHook<Kind extends string = EffectKind> = (effect: Effect<Kind>) => FaultAction | undefined;

// Each caller gets its own promise. A shared one would keep all its waiters in memory.
const never = (): Promise<never> => new Promise(() => undefined);

export function createProgramRun<Kind extends string = EffectKind>(
  clock: Clock,
  onEffect: EffectHook<Kind> = () => undefined,
): ProgramRun<Kind> {
  const effects: Effect<Kind>[] = [];
  const counts = new Map<string, number>();
  const listeners = new Set<() => void>();
  let killed = false;

  const kill = (): void => {
    killed = true;
    for (const listener of listeners) listener();
  };
  /** Drops a response that arrives after the kill. */
  const received = <T>(response: Promise<T>): Promise<T> =>
    response.then(
      value => (killed ? never() : value),
      (error: unknown) => (killed ? never() : Promise.reject(error as Error)),
    );
  const record = ({ kind, name }: Pick<Effect<Kind>, 'kind' | 'name'>): Effect<Kind> => {
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const effect = { kind, name, nth };
    effects.push(effect);
    return effect;
  };

  return {
    clock: killableClock(clock, listener => void listeners.add(listener)),
    effects,
    get killed() {
      return killed;
    },
    kill,
    onKill: listener => void listeners.add(listener),
    read: act => (killed ? never() : received(act())),
    async act(what, act, responses) {
      if (killed) return never();
      const fault = onEffect(record(what));
      switch (fault) {
        case undefined:
          return received(act());
        case 'killed before':
          kill();
          return never();
        case 'killed after':
          kill();
          act().catch(() => undefined);
          return never();
        case 'rejected':
          return received(responses.rejected());
        case 'response lost':
          await received(act());
          return responses.responseLost();
        default:
          await received(fault.until);
          return received(act());
      }
    },
  };
}

function killableClock(clock: Clock, onKill: (listener: () => void) => void): Clock {
  const timers = new Set<Timer>();
  let killed = false;
  onKill(() => {
    killed = true;
    for (const timer of timers) timer.cancel();
  });
  return {
    now: () => clock.now(),
    random: () => clock.random(),
    after(duration, callback) {
      if (killed) return { cancel: () => undefined };
      const timer = clock.after(duration, () => {
        timers.delete(timer);
        callback();
      });
      timers.add(timer);
      return {
        cancel() {
          timers.delete(timer);
          timer.cancel();
        },
      };
    },
  };
}

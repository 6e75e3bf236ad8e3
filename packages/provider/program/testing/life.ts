import type { Clock, Timer } from '@minifleet/clock';

export type EffectKind = 'api' | 'vendor' | 'vendor read' | 'host';

/** Something that changes what outlives the process, or a question to the vendor, which may stay without an answer. */
export interface Effect<Kind extends string = EffectKind> {
  readonly kind: Kind;
  /** `patch hostclaims/status`, `rename`, `command 3 of job 1`. */
  readonly name: string;
  /** Among those of its name, counted from 1. */
  readonly nth: number;
}

/**
 * Fault that a test injects at an effect. `refused`: the effect does not happen, and the other side reports an error (a Conflict,
 * a 5xx, a connection reset). A promise delays the effect until it resolves.
 */
export type Strike = 'killed before' | 'killed after' | 'refused' | 'answer lost' | { readonly until: Promise<void> };

export interface Failures<T> {
  refused(): Promise<T>;
  /** After it was done. */
  lost(): Promise<T>;
}

/** One process of a program. It may be killed at any of its effects, and nothing of it comes after that. */
export interface Life<Kind extends string = EffectKind> {
  /** Its timers go with it. */
  readonly clock: Clock;
  readonly effects: readonly Effect<Kind>[];
  readonly dead: boolean;
  kill(): void;
  onKill(listener: () => void): void;
  read<T>(act: () => Promise<T>): Promise<T>;
  act<T>(what: Pick<Effect<Kind>, 'kind' | 'name'>, act: () => Promise<T>, failures: Failures<T>): Promise<T>;
}

export type Meet<Kind extends string = EffectKind> = (effect: Effect<Kind>) => Strike | undefined;

// One for each: a promise that is shared would keep everyone who ever waited for it.
const never = (): Promise<never> => new Promise(() => undefined);

export function createLife<Kind extends string = EffectKind>(
  clock: Clock,
  meet: Meet<Kind> = () => undefined,
): Life<Kind> {
  const effects: Effect<Kind>[] = [];
  const counts = new Map<string, number>();
  const listeners = new Set<() => void>();
  let dead = false;

  const kill = (): void => {
    dead = true;
    for (const listener of listeners) listener();
  };
  /** An answer that comes after the death is heard by nobody. */
  const heard = <T>(answer: Promise<T>): Promise<T> =>
    answer.then(
      value => (dead ? never() : value),
      (error: unknown) => (dead ? never() : Promise.reject(error as Error)),
    );
  const note = ({ kind, name }: Pick<Effect<Kind>, 'kind' | 'name'>): Effect<Kind> => {
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const effect = { kind, name, nth };
    effects.push(effect);
    return effect;
  };

  return {
    clock: mortalClock(clock, listener => void listeners.add(listener)),
    effects,
    get dead() {
      return dead;
    },
    kill,
    onKill: listener => void listeners.add(listener),
    read: act => (dead ? never() : heard(act())),
    async act(what, act, failures) {
      if (dead) return never();
      const strike = meet(note(what));
      switch (strike) {
        case undefined:
          return heard(act());
        case 'killed before':
          kill();
          return never();
        case 'killed after':
          kill();
          act().catch(() => undefined);
          return never();
        case 'refused':
          return heard(failures.refused());
        case 'answer lost':
          await heard(act());
          return failures.lost();
        default:
          await heard(strike.until);
          return heard(act());
      }
    },
  };
}

function mortalClock(clock: Clock, onKill: (listener: () => void) => void): Clock {
  const timers = new Set<Timer>();
  let dead = false;
  onKill(() => {
    dead = true;
    for (const timer of timers) timer.cancel();
  });
  return {
    now: () => clock.now(),
    random: () => clock.random(),
    after(duration, callback) {
      if (dead) return { cancel: () => undefined };
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

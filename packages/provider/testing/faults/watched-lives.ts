import type { Duration } from '@minifleet/clock';
import type { FakeClock } from '@minifleet/clock/testing';
import type { Life, Meet } from '../../program/testing/life.ts';

export interface Struck<Kind extends string> {
  /** Sees every effect before it is had. */
  readonly meet?: Meet<Kind>;
}

export interface WatchedLivesParts<Kind extends string, Options extends Struck<Kind>> {
  readonly clock: FakeClock;
  readonly start: (options: Options | Omit<Options, 'meet'>) => Life<Kind>;
  /** Everybody but the processes acts, then a moment passes. */
  readonly pass: () => Promise<void>;
  readonly wrongNow: () => Promise<readonly string[]>;
  readonly wrongAtRest: () => Promise<readonly string[]>;
  /** Deadline for an expected state. */
  readonly patience: Duration;
  /** Longer than any wait that a thing at rest may have. */
  readonly atRestAfter: Duration;
}

/** Processes of a program over a world, where each that dies is followed by another, and everything is watched. */
export interface WatchedLives<Kind extends string, Options extends Struck<Kind>> {
  /** One more process; it is followed by another when it dies. */
  start(options?: Options): Life<Kind>;
  /** It dies, and nobody follows it. */
  leave(life: Life<Kind>): void;
  /** Violations so far. */
  readonly wrong: readonly string[];
  /** Lets time pass until it is so. False, and a wrong, when it never is. */
  until(what: string, so: () => Promise<boolean>, patience?: Duration): Promise<boolean>;
  /** Says it is wrong when it is not so. */
  expect(what: string, so: boolean): void;
  /** Lets time pass, then looks at what must hold at rest. */
  rest(): Promise<void>;
  /** Ends all that runs. */
  end(): void;
}

export function watchedLives<Kind extends string, Options extends Struck<Kind>>(
  parts: WatchedLivesParts<Kind, Options>,
): WatchedLives<Kind, Options> {
  const { clock } = parts;
  const wrong = new Set<string>();
  let lives: { life: Life<Kind>; readonly options: Options | Omit<Options, 'meet'> }[] = [];
  const note = (all: readonly string[]): void => {
    for (const words of all) wrong.add(words);
  };

  /** The one who died was struck; the one who follows is not. */
  function revive(): void {
    lives = lives.map(one => {
      if (!one.life.dead) return one;
      const { meet: _, ...options } = one.options as Options;
      return { life: parts.start(options), options };
    });
  }

  async function moment(): Promise<void> {
    revive();
    await parts.pass();
    note(await parts.wrongNow());
  }

  return {
    get wrong() {
      return [...wrong];
    },
    start(options = {} as Options) {
      const life = parts.start(options);
      lives.push({ life, options });
      return life;
    },
    leave(life) {
      life.kill();
      lives = lives.filter(one => one.life !== life);
    },
    async until(what, so, patience = parts.patience) {
      const end = clock.now() + patience;
      while (!(await so())) {
        if (clock.now() >= end) {
          wrong.add(`it never came to this: ${what}`);
          return false;
        }
        await moment();
      }
      return true;
    },
    expect(what, so) {
      if (!so) wrong.add(`this is not so: ${what}`);
    },
    async rest() {
      const end = clock.now() + parts.atRestAfter;
      while (clock.now() < end) await moment();
      note(await parts.wrongNow());
      note(await parts.wrongAtRest());
    },
    end() {
      for (const { life } of lives) life.kill();
    },
  };
}

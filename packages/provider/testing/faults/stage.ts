import type { Effect } from '../../program/testing/life.ts';
import type { Blow } from './blow.ts';
import type { BlowOutcome } from './blow-page.ts';
import { strikeOnce } from './strike-once.ts';
import type { Struck, WatchedLives } from './watched-lives.ts';

/** A part of a life, lived under a process that something happens to. */
export interface SceneOf<Bench, Options> {
  readonly name: string;
  /** With a process that nothing happens to; it is gone when the scene begins. */
  readonly before: (bench: Bench) => Promise<void>;
  readonly options: Options;
  /** Ends when all is done, or when it never will be. */
  readonly live: (bench: Bench) => Promise<void>;
  /** Checks the expected result, after nothing happens any more. */
  readonly after?: (bench: Bench) => Promise<unknown>;
}

/** Result of a scene. */
export interface Lived<Kind extends string> {
  /** Effects of the process that the fault hit. */
  readonly effects: readonly Effect<Kind>[];
  /** True if the fault happened. */
  readonly struck: boolean;
  readonly wrong: readonly string[];
}

export interface StageParts<Kind extends string, Options extends Struck<Kind>, Bench> {
  readonly open: () => Promise<Bench & WatchedLives<Kind, Options>>;
  readonly blowsAt: (effects: readonly Effect<Kind>[]) => Blow<Kind>[];
}

/** Where scenes are lived, each in a world of its own. */
export interface Stage<Kind extends string, Options, Bench> {
  /** `blow` strikes the process once, at one effect of its. */
  readonly live: (scene: SceneOf<Bench, Options>, blow?: Blow<Kind>) => Promise<Lived<Kind>>;
  /** Every blow that a scene can be put to; throws when it does not end well by itself. */
  readonly blowsIn: (scene: SceneOf<Bench, Options>) => Promise<Blow<Kind>[]>;
  readonly strike: (scene: SceneOf<Bench, Options>, blow: Blow<Kind>) => Promise<BlowOutcome<Kind>>;
}

export function stage<Kind extends string, Options extends Struck<Kind>, Bench>({
  open,
  blowsAt,
}: StageParts<Kind, Options, Bench>): Stage<Kind, Options, Bench> {
  async function live(scene: SceneOf<Bench, Options>, blow?: Blow<Kind>): Promise<Lived<Kind>> {
    const bench = await open();
    const hand = strikeOnce(blow, () => void bench.start(scene.options));
    await scene.before(bench);
    const { effects } = bench.start({ ...scene.options, meet: hand.meet });
    await scene.live(bench);
    const met = effects.length;
    await scene.after?.(bench);
    hand.letGo();
    await bench.rest();
    bench.end();
    return { effects: effects.slice(0, met), struck: hand.struck, wrong: bench.wrong };
  }

  return {
    live,
    async blowsIn(scene) {
      const { effects, wrong } = await live(scene);
      if (wrong.length > 0) throw new Error(`${scene.name}, with nothing happening to it: ${wrong.join('; ')}`);
      return blowsAt(effects);
    },
    async strike(scene, blow) {
      const { struck, wrong } = await live(scene, blow);
      return { scene: scene.name, blow, wrong: struck ? wrong : ['it did not come to that effect', ...wrong] };
    },
  };
}

import type { Effect, Meet, Strike } from '../../program/testing/life.ts';
import type { Blow, Way } from '../blow.ts';
import { fleetBench } from './fleet-bench.ts';
import type { Scene } from './scenes.ts';

/** What came of a scene. */
export interface Lived {
  /** Of the provider that it happened to. */
  readonly effects: readonly Effect[];
  /** Whether it happened at all. */
  readonly struck: boolean;
  readonly wrong: readonly string[];
}

/** Lives a scene; `blow` strikes the provider once, at one effect of its. */
export async function liveScene(scene: Scene, blow?: Blow): Promise<Lived> {
  const bench = await fleetBench();
  let struck = false;
  let letGo = (): void => undefined;
  const strikes: Readonly<Record<Way, () => Strike>> = {
    'killed before': () => 'killed before',
    'killed after': () => 'killed after',
    refused: () => 'refused',
    'answer lost': () => 'answer lost',
    'another is faster'() {
      const { promise: until, resolve } = Promise.withResolvers<void>();
      letGo = resolve;
      bench.start(scene.options);
      return { until };
    },
  };
  const meet: Meet = ({ name, nth }) => {
    if (struck || !blow || name !== blow.effect.name || nth !== blow.effect.nth) return undefined;
    struck = true;
    return strikes[blow.way]();
  };
  await scene.before(bench);
  const { effects } = bench.start({ ...scene.options, meet });
  await scene.live(bench);
  const met = effects.length;
  await scene.after?.(bench);
  letGo();
  await bench.rest();
  bench.end();
  return { effects: effects.slice(0, met), struck, wrong: bench.wrong };
}

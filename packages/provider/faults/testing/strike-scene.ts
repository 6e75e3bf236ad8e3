import { type Blow, blowsAt } from '../blow.ts';
import type { BlowOutcome } from '../killed-page.ts';
import { liveScene } from './live-scene.ts';
import type { Scene } from './scenes.ts';

/** Every blow that a scene can be put to; throws when it does not end well by itself. */
export async function blowsIn(scene: Scene): Promise<Blow[]> {
  const { effects, wrong } = await liveScene(scene);
  if (wrong.length > 0) throw new Error(`${scene.name}, with nothing happening to it: ${wrong.join('; ')}`);
  return blowsAt(effects);
}

export async function strikeScene(scene: Scene, blow: Blow): Promise<BlowOutcome> {
  const { struck, wrong } = await liveScene(scene, blow);
  return { scene: scene.name, blow, wrong: struck ? wrong : ['it did not come to that effect', ...wrong] };
}

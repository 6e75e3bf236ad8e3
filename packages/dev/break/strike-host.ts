import { seconds } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import type { Breakage, Struck } from './breakage.ts';
import { STRIKE_IN_VAIN } from './errors.ts';
import { awaitScene } from './scenes/await-scene.ts';
import type { Stage } from './stage.ts';

/** A look that is under way has ended by then, and says nothing of what was done since it began. */
const A_LOOK = seconds(10);

/**
 * Does an incident to a host. A repair that happens to be under way may undo it before it hurts; it is done once more as soon as the
 * host was seen as wanted again, because what must be seen is measured against that.
 */
export async function strikeHost(stage: Stage, breakage: Pick<Breakage, 'strike'>): Promise<Struck> {
  try {
    return await breakage.strike(stage);
  } catch (error) {
    if (!(error instanceof CataloguedError) || error.code !== STRIKE_IN_VAIN.code) throw error;
  }
  const from = stage.clock.now() + A_LOOK;
  await awaitScene(stage, 'the host was seen as wanted again', async () => {
    const seen = (await stage.machine())?.status?.plan?.appliedTime;
    return seen !== undefined && Date.parse(seen) >= from && (await stage.isWell());
  });
  return breakage.strike(stage);
}

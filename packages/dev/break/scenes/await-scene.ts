import { type Duration, milliseconds, pause, seconds } from '@minifleet/clock';
import { SCENE_NOT_SET } from '../errors.ts';
import type { Stage } from '../stage.ts';

const WITHIN = seconds(90);
const LOOK_AGAIN = milliseconds(250);

/** Waits for what a strike needs before it can hurt, and returns it. */
export async function awaitScene<T>(
  { clock, name }: Pick<Stage, 'clock' | 'name'>,
  what: string,
  look: () => Promise<T | undefined | false>,
  within: Duration = WITHIN,
): Promise<T> {
  const end = clock.now() + within;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (clock.now() > end) throw SCENE_NOT_SET({ host: name, what });
    await pause(clock, LOOK_AGAIN);
  }
}

import { type Clock, milliseconds, pause } from '@minifleet/clock';
import { isForbidden } from '@minifleet/kube';

/** Together half a second. Further and further apart: where the server is slow to learn, more questions make it slower. */
const AGAIN_AFTER = [10, 25, 60, 150, 300].map(milliseconds);

/**
 * Asks for something of a Pod, and again a few times while it is refused: the Node authorizer learns of a binding a
 * moment later than we do. Told to the user at once, each refusal would cost a status write, an event and a longer wait.
 */
export async function onceAuthorized<T>(clock: Clock, ask: () => Promise<T>): Promise<T> {
  for (const delay of AGAIN_AFTER) {
    try {
      return await ask();
    } catch (error) {
      if (!isForbidden(error)) throw error;
      await pause(clock, delay);
    }
  }
  return ask();
}

import { minutes, pause } from '@minifleet/clock';
import type { Call } from './call.ts';

/** Nothing ever comes back. A timer keeps the process alive, a bare promise would not. */
export async function hang(call: Call): Promise<never> {
  for (;;) await pause(call.around.clock, minutes(60));
}

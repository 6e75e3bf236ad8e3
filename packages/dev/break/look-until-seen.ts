import { milliseconds, pause } from '@minifleet/clock';
import type { Breakage, Struck } from './breakage.ts';
import { conditionOf } from './scenes/told.ts';
import type { Stage } from './stage.ts';
import type { StrikeLine } from './strike.ts';

const LOOK_AGAIN = milliseconds(500);

/** Looks again and again whether what must be seen is, until its time is over. */
export async function lookUntilSeen(
  { clock, machine }: Pick<Stage, 'clock' | 'machine'>,
  { within, promise }: Pick<Breakage, 'within' | 'promise'>,
  what: Pick<Struck, 'look' | 'instead'>,
): Promise<Extract<StrikeLine, { readonly seconds: number }>> {
  const began = clock.now();
  const time = (): number => (clock.now() - began) / 1_000;
  while (clock.now() - began < within) {
    const seen = await what.look();
    if (seen) return { seen, seconds: time() };
    await pause(clock, LOOK_AGAIN);
  }
  const instead = await (what.instead ?? (() => whatMachineSays(machine)))();
  return { notSeen: promise, seconds: time(), instead };
}

async function whatMachineSays(machine: Stage['machine']): Promise<string> {
  const ready = conditionOf(await machine(), 'Ready');
  return ready ? `its machine says: ${ready.message || ready.reason}` : 'its machine is gone';
}

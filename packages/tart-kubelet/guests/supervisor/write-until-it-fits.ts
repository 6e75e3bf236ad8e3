import { type Clock, pause, seconds } from '@minifleet/clock';
import { exists } from '../../durable/exists.ts';

export interface WriteUntilItFitsOptions {
  /** The guest's folder: when it is gone, nobody wants the file any more. */
  readonly directory: string;
  readonly clock: Clock;
  readonly write: () => Promise<void>;
  /** Called after the first try, whatever came of it. */
  readonly onFirstTry?: () => void;
}

const AGAIN = seconds(1);

/** On a full disk a write is tried until it fits. True when it is done. */
export async function writeUntilItFits(options: WriteUntilItFitsOptions): Promise<boolean> {
  for (;;) {
    const kept = await options.write().then(
      () => true,
      () => false,
    );
    options.onFirstTry?.();
    if (kept || !(await exists(options.directory))) return kept;
    await pause(options.clock, AGAIN);
  }
}

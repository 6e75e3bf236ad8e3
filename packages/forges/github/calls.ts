import { type Clock, pause, within } from '@minifleet/clock';
import { FORGE_BUSY } from '../errors.ts';
import type { CallOptions } from '../forge.ts';
import { type Asked, GITHUB, judgeFailure } from './judge-failure.ts';
import type { Patience } from './patience.ts';
import type { Silence } from './silence.ts';

export interface CallsOptions {
  readonly clock: Clock;
  readonly patience: Patience;
  readonly silence: Silence;
  readonly asked: Omit<Asked, 'call'>;
}

/** One call of the driver: all it sends has one deadline. Rejects with an error of the catalogue or the signal’s reason. */
export type Calls = <T>(
  call: string,
  options: CallOptions | undefined,
  body: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

export function createCalls({ clock, patience, silence, asked }: CallsOptions): Calls {
  return async (call, { signal } = {}, body) => {
    try {
      return await within({ clock, limit: patience.deadline, signal }, async over => {
        if (silence.left() > patience.longestSilence) throw FORGE_BUSY({ forge: GITHUB, call });
        if (silence.left() > 0) await pause(clock, silence.left(), over);
        over.throwIfAborted();
        return body(over);
      });
    } catch (failure) {
      signal?.throwIfAborted();
      throw judgeFailure({ ...asked, call }, failure);
    }
  };
}

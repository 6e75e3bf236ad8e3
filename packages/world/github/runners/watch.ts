import type { Timer } from '@minifleet/clock';
import type { Forge } from '../forge.ts';
import type { Session } from './session.ts';

/** Notices a runner behind the door that has not been heard of for a while: its process, or its VM, is gone. */
export interface Watch {
  seen(session: Session, forge: Forge): void;
}

export function createWatch(): Watch {
  const timers = new WeakMap<Session, Timer>();
  return {
    seen(session, forge) {
      timers.get(session)?.cancel();
      const check = (): void => {
        // While it asks, the question itself is the sign of life.
        if (session.asking) timers.set(session, forge.timers.after(forge.habits.sessionLapse, check));
        else session.lapse();
      };
      timers.set(session, forge.timers.after(forge.habits.sessionLapse, check));
    },
  };
}

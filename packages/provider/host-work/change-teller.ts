import { type Clock, milliseconds, seconds, type Timer } from '@minifleet/clock';
import type { ObjectKey } from '@minifleet/kube';

/** Tells of changes: what cannot wait at once, the rest of one machine's no more often than is worth a write. */
export interface ChangeTeller {
  listen(listener: (key: ObjectKey) => void): () => void;
  now(uid: string, key: ObjectKey): void;
  soon(uid: string, key: ObjectKey): void;
  /** Nothing more will come of it. */
  drop(uid: string): void;
}

const APART = seconds(1);

export function createChangeTeller(clock: Clock): ChangeTeller {
  const listeners = new Set<(key: ObjectKey) => void>();
  const toldAt = new Map<string, number>();
  const timers = new Map<string, Timer>();

  const disarm = (uid: string): void => {
    timers.get(uid)?.cancel();
    timers.delete(uid);
  };
  const now = (uid: string, key: ObjectKey): void => {
    disarm(uid);
    toldAt.set(uid, clock.now());
    for (const listener of listeners) listener(key);
  };

  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    now,
    soon(uid, key) {
      if (timers.has(uid)) return;
      const wait = (toldAt.get(uid) ?? 0) + APART - clock.now();
      if (wait <= 0) return now(uid, key);
      timers.set(
        uid,
        clock.after(milliseconds(wait), () => now(uid, key)),
      );
    },
    drop(uid) {
      disarm(uid);
      toldAt.delete(uid);
    },
  };
}

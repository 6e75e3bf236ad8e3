import { type Clock, createThrottle, seconds } from '@minifleet/clock';
import type { ObjectKey } from '@minifleet/kube';

/** Tells of changes: what cannot wait at once, the rest of one machine's no more often than is worth a write. */
export interface ChangeTeller {
  listen(listener: (key: ObjectKey) => void): () => void;
  now(uid: string, key: ObjectKey): void;
  soon(uid: string, key: ObjectKey): void;
  /** Nothing more will come of it. */
  drop(uid: string): void;
}

const MIN_INTERVAL = seconds(1);

export function createChangeTeller(clock: Clock): ChangeTeller {
  const listeners = new Set<(key: ObjectKey) => void>();
  const throttle = createThrottle<string>(clock, MIN_INTERVAL);
  const notify = (key: ObjectKey) => (): void => {
    for (const listener of listeners) listener(key);
  };
  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    now: (uid, key) => throttle.now(uid, notify(key)),
    soon: (uid, key) => throttle.soon(uid, notify(key)),
    drop: uid => throttle.drop(uid),
  };
}

import type { Clock, Duration } from '@minifleet/clock';

/** How often a quiet connection is asked for a sign of life, and how many may be missing. */
export interface Keepalive {
  readonly every: Duration;
  readonly misses: number;
}

export interface Watched {
  /** Grows with whatever arrives: an upload that moves is alive even if the answers queue behind it. */
  received(): number;
  ask(): void;
  /** Nothing came for too long: the host swallows packets, or is gone without a word. */
  onSilent(): void;
}

/** Finds a half-open connection; returns how to stop. */
export function watchLife(clock: Clock, { every, misses }: Keepalive, watched: Watched): () => void {
  let seen = watched.received();
  let asked = 0;
  const look = (): void => {
    const received = watched.received();
    if (received !== seen) asked = 0;
    seen = received;
    if (asked >= misses) {
      watched.onSilent();
      return;
    }
    asked += 1;
    watched.ask();
    timer = clock.after(every, look);
  };
  let timer = clock.after(every, look);
  return () => timer.cancel();
}

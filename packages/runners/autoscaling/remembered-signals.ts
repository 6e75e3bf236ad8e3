import type { Clock, Duration } from '@minifleet/clock';
import { keyOf, keyString } from '@minifleet/kube';
import type { SignalSource, Signals } from './signals.ts';

/**
 * The same signals for a while: each of the pools that share Macs asks for those of all. Whoever asks meanwhile shares the answer
 * under way; one that failed is not kept.
 */
export function rememberedSignals(source: SignalSource, clock: Clock, life: Duration): SignalSource {
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<Signals> }>();
  return (pool, options) => {
    for (const [key, { until }] of kept) if (until <= clock.now()) kept.delete(key);
    const key = keyString(keyOf(pool));
    const known = kept.get(key);
    if (known) return known.answer;
    const answer = source(pool, options);
    const entry = { until: clock.now() + life, answer };
    kept.set(key, entry);
    answer.catch(() => {
      if (kept.get(key) === entry) kept.delete(key);
    });
    return answer;
  };
}

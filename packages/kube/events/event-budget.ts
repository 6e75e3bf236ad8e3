import { type Clock, minutes } from '@minifleet/clock';

/** Same limits as the spam filter of client-go: a burst of 25 events per object, then one every five minutes. */
const BURST = 25;
const REFILL_EVERY = minutes(5);
const REMEMBERED = 4_096;

/** Says whether an object may have one more event, so that a reconcile gone wild cannot flood etcd. */
export function createEventBudget(clock: Clock): { spend(object: string): boolean } {
  const accounts = new Map<string, { left: number; since: number }>();
  return {
    spend(object) {
      const now = clock.now();
      const account = accounts.get(object) ?? { left: BURST, since: now };
      const refill = Math.floor((now - account.since) / REFILL_EVERY);
      account.left = Math.min(BURST, account.left + refill);
      account.since += refill * REFILL_EVERY;
      accounts.delete(object);
      accounts.set(object, account);
      const oldest = accounts.keys().next().value;
      if (accounts.size > REMEMBERED && oldest !== undefined) accounts.delete(oldest);
      if (account.left <= 0) return false;
      account.left -= 1;
      return true;
    },
  };
}

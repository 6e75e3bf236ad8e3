import type { Clock, Duration } from '@minifleet/clock';
import type { CataloguedError } from '@minifleet/errors';
import type { Forge, Runner } from '@minifleet/forges';
import { errorFields, type Log } from '@minifleet/kube';
import type { AccountSight } from '../runners/registration.ts';
import { isOfAccount, retryAfter } from './retry-after.ts';

/** What is known of an account now. With trouble the rest is as it was before: nothing is done about runners on the strength of it. */
export interface AccountSeen extends AccountSight {
  readonly trouble: CataloguedError | undefined;
  /** When it is looked at next, in milliseconds since 1970. */
  readonly dueAt: number;
}

/**
 * The runners of each account as they were a moment ago. One list serves all pools, and it is asked for in the background: a pass
 * never waits for a forge.
 */
export interface AccountLooks {
  /** What is known; a look that is due is begun. `pool` is woken by news from then on. */
  see(forge: Forge, pool: string): AccountSeen;
  /** Asks for these by name: they should be there and are not in the list. */
  confirm(forge: Forge, names: readonly string[]): void;
  /** What a call just told of one runner. `over`: nobody will ask for it again. */
  learnt(forge: Forge, name: string, news: 'busy' | 'absent' | 'over'): void;
  /** A call failed; true when the whole account is to be left alone for a while. */
  failed(forge: Forge, error: unknown): boolean;
}

export interface AccountLooksOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly every: Duration;
  readonly wake: (pool: string) => void;
}

interface Account {
  at: number | undefined;
  looking: boolean;
  runners: Map<string, Pick<Runner, 'state' | 'busy'>>;
  absent: Set<string>;
  readonly confirming: Set<string>;
  readonly pools: Set<string>;
  trouble: CataloguedError | undefined;
  failures: number;
  dueAt: number;
}

export function createAccountLooks({ clock, log, every, wake }: AccountLooksOptions): AccountLooks {
  // The resolver gives one forge for the same credentials: with new ones everything is looked at anew.
  const accounts = new WeakMap<Forge, Account>();

  function accountOf(forge: Forge): Account {
    const known = accounts.get(forge) ?? newAccount();
    accounts.set(forge, known);
    return known;
  }

  function failed(forge: Forge, error: unknown): boolean {
    if (!isOfAccount(error)) return false;
    const account = accountOf(forge);
    account.failures += 1;
    account.trouble = error;
    account.dueAt = clock.now() + retryAfter(error, account.failures);
    return true;
  }

  async function look(forge: Forge, account: Account): Promise<void> {
    account.looking = true;
    const at = clock.now();
    account.dueAt = at + every;
    const before = picture(account);
    try {
      const runners = await forge.runners();
      account.runners = new Map(runners.map(runner => [runner.name, runner]));
      // Who was absent before the list was asked for and is not in it still is.
      account.absent = new Set([...account.absent].filter(name => !account.runners.has(name)));
      Object.assign(account, { at, trouble: undefined, failures: 0 });
    } catch (error) {
      failed(forge, error);
      log.warn(errorFields(error), 'The runners of an account cannot be listed');
    } finally {
      account.looking = false;
    }
    if (picture(account) !== before) for (const pool of account.pools) wake(pool);
  }

  async function confirm(forge: Forge, account: Account, name: string): Promise<void> {
    account.confirming.add(name);
    try {
      const runner = await forge.runner(name);
      if (runner) account.runners.set(name, runner);
      else account.absent.add(name);
      for (const pool of account.pools) wake(pool);
    } catch (error) {
      failed(forge, error);
    } finally {
      account.confirming.delete(name);
    }
  }

  return {
    see(forge, pool) {
      const account = accountOf(forge);
      account.pools.add(pool);
      if (!account.looking && clock.now() >= account.dueAt) void look(forge, account);
      return account;
    },
    confirm(forge, names) {
      const account = accountOf(forge);
      if (account.trouble) return;
      for (const name of names) if (!account.confirming.has(name)) void confirm(forge, account, name);
    },
    learnt(forge, name, news) {
      const { runners, absent } = accountOf(forge);
      if (news === 'busy') runners.set(name, { state: 'online', busy: true });
      else runners.delete(name);
      if (news === 'absent') absent.add(name);
      if (news === 'over') absent.delete(name);
    },
    failed,
  };
}

const newAccount = (): Account => ({
  at: undefined,
  looking: false,
  runners: new Map(),
  absent: new Set(),
  confirming: new Set(),
  pools: new Set(),
  trouble: undefined,
  failures: 0,
  dueAt: 0,
});

/** What is news when it changes. */
const picture = ({ at, runners, trouble }: Account): string =>
  JSON.stringify([
    at !== undefined,
    trouble?.message,
    [...runners].map(([name, { state, busy }]) => [name, state, busy]),
  ]);

import { type Clock, type Duration, minutes, seconds } from '@minifleet/clock';
import { CataloguedError, retryDelay } from '@minifleet/errors';
import type { Forge, Runner } from './forge.ts';

type RunnerConnection = Pick<Runner, 'state' | 'busy' | 'version'>;

/** Runners of one GitHub account as last listed. */
export interface RunnerList {
  /** Time at which the list was requested, in milliseconds since 1970; undefined before the first list. */
  readonly listedAt: number | undefined;
  readonly runners: ReadonlyMap<string, RunnerConnection>;
  /** Runners that a lookup by name did not find. */
  readonly absent: ReadonlySet<string>;
}

export interface CachedRunnerList extends RunnerList {
  /** Failure of the whole account. While it is set the other fields are stale; do not act on them. */
  readonly failure: CataloguedError | undefined;
  /** Time of the next request, in milliseconds since 1970. */
  readonly dueAt: number;
}

/** Runner lists of all accounts. One list serves everybody who asks within `maxAge`, and concurrent callers share one request. */
export interface RunnerListCache {
  /** The list without waiting; a list that is due is requested in the background. `subscriber` is notified of changes from then on. */
  read(forge: Forge, subscriber: string): CachedRunnerList;
  /** One runner; waits for a list if the last one is older than `maxAge`, and rejects if it fails. */
  find(forge: Forge, name: string): Promise<RunnerConnection | undefined>;
  /** Looks registered runners up by name that the list does not contain. */
  confirm(forge: Forge, names: readonly string[]): void;
  /** Applies the result of another call. `forgotten`: the name is not used again. */
  update(forge: Forge, name: string, change: RunnerChange): void;
  /** Records a failed call; true if it concerns the whole account, so that nothing is sent until `dueAt`. */
  fail(forge: Forge, error: unknown): boolean;
}

type RunnerChange = 'busy' | 'absent' | 'forgotten';

interface RunnerListCacheOptions {
  readonly clock: Clock;
  readonly maxAge?: Duration;
  readonly onChange?: (subscriber: string) => void;
  /** A list requested by `read` failed. */
  readonly onListFailed?: (error: unknown) => void;
}

interface Account {
  listedAt: number | undefined;
  listing: Promise<void> | undefined;
  runners: Map<string, RunnerConnection>;
  absent: Set<string>;
  readonly confirming: Set<string>;
  /** Changes since the last list was requested; its answer may be older than they are. */
  readonly changes: Map<string, RunnerChange>;
  readonly subscribers: Set<string>;
  failure: CataloguedError | undefined;
  failures: number;
  dueAt: number;
}

const BACK_OFF = { first: seconds(5), most: minutes(5) };
/** An operator repairs the failure at GitHub or in a Secret, which is not watched. */
const OPERATOR_POLL = minutes(5);

export function createRunnerListCache(options: RunnerListCacheOptions): RunnerListCache {
  const { clock, maxAge = seconds(30), onChange, onListFailed } = options;
  // The resolver returns the same forge for the same credentials: new credentials start with an empty list.
  const accounts = new WeakMap<Forge, Account>();

  function accountOf(forge: Forge): Account {
    const account = accounts.get(forge) ?? newAccount();
    accounts.set(forge, account);
    return account;
  }

  function notify({ subscribers }: Account): void {
    for (const subscriber of subscribers) onChange?.(subscriber);
  }

  function fail(forge: Forge, error: unknown): boolean {
    if (!isAccountFailure(error)) return false;
    const account = accountOf(forge);
    account.failures += 1;
    account.failure = error;
    account.dueAt = clock.now() + (retryDelay(error, account.failures, BACK_OFF) ?? OPERATOR_POLL);
    return true;
  }

  function list(forge: Forge, account: Account): Promise<void> {
    account.listing ??= requestList(forge, account).finally(() => {
      account.listing = undefined;
    });
    return account.listing;
  }

  async function requestList(forge: Forge, account: Account): Promise<void> {
    const requestedAt = clock.now();
    account.dueAt = requestedAt + maxAge;
    account.changes.clear();
    const before = fingerprint(account);
    try {
      const runners = await forge.runners();
      account.runners = new Map(runners.map(runner => [runner.name, runner]));
      // A runner that was absent before the request, and is not in its answer, is still absent.
      account.absent = new Set([...account.absent].filter(name => !account.runners.has(name)));
      Object.assign(account, { listedAt: requestedAt, failure: undefined, failures: 0 });
      for (const [name, change] of account.changes) apply(account, name, change);
    } catch (error) {
      fail(forge, error);
      throw error;
    } finally {
      if (fingerprint(account) !== before) notify(account);
    }
  }

  async function confirm(forge: Forge, account: Account, name: string): Promise<void> {
    account.confirming.add(name);
    try {
      const runner = await forge.runner(name);
      if (runner) account.runners.set(name, runner);
      else account.absent.add(name);
      notify(account);
    } catch (error) {
      fail(forge, error);
    } finally {
      account.confirming.delete(name);
    }
  }

  return {
    read(forge, subscriber) {
      const account = accountOf(forge);
      account.subscribers.add(subscriber);
      if (!account.listing && clock.now() >= account.dueAt) {
        list(forge, account).catch((error: unknown) => onListFailed?.(error));
      }
      return account;
    },
    async find(forge, name) {
      const account = accountOf(forge);
      const { listedAt } = account;
      if (listedAt === undefined || clock.now() - listedAt >= maxAge) await list(forge, account);
      const listed = account.runners.get(name);
      // It may have come online or registered since, or a page may have missed it: only a lookup by name proves absent or offline.
      return listed?.state === 'online' ? listed : forge.runner(name);
    },
    confirm(forge, names) {
      const account = accountOf(forge);
      if (account.failure) return;
      for (const name of names) if (!account.confirming.has(name)) void confirm(forge, account, name);
    },
    update(forge, name, change) {
      const account = accountOf(forge);
      account.changes.set(name, change);
      apply(account, name, change);
    },
    fail,
  };
}

function apply({ runners, absent }: Account, name: string, change: RunnerChange): void {
  if (change === 'busy') runners.set(name, { ...runners.get(name), state: 'online', busy: true });
  else runners.delete(name);
  if (change === 'absent') absent.add(name);
  if (change === 'forgotten') absent.delete(name);
}

/** True for a failure of the whole account, false for one of a single runner or runner group. */
const isAccountFailure = (error: unknown): error is CataloguedError =>
  error instanceof CataloguedError &&
  ['ForgeUnavailable', 'ForgeRefused', 'ForgeCredentialsInvalid'].includes(error.reason);

const newAccount = (): Account => ({
  listedAt: undefined,
  listing: undefined,
  runners: new Map(),
  absent: new Set(),
  confirming: new Set(),
  changes: new Map(),
  subscribers: new Set(),
  failure: undefined,
  failures: 0,
  dueAt: 0,
});

/** State whose change subscribers are notified of. */
const fingerprint = ({ listedAt, runners, failure }: Account): string =>
  JSON.stringify([
    listedAt !== undefined,
    failure?.message,
    [...runners].map(([name, { state, busy }]) => [name, state, busy]),
  ]);

import { type Clock, type Duration, milliseconds, pause, seconds } from '@minifleet/clock';
import { isAlreadyExists, isConflict } from '../client/api-error.ts';
import { type Lease, leases } from '../client/built-in.ts';
import type { Client } from '../client/client.ts';
import type { ObjectKey } from '../object.ts';
import { errorFields, type Log } from '../observe/log.ts';
import { heldByOther, releasedSpec, takenSpec } from './lease-record.ts';

export interface ElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: Required<ObjectKey>;
  /** Unique per process: a restarted one must wait like any other. */
  readonly identity: string;
  readonly leaseDuration?: Duration;
  /** A leader that could not renew for this long stops leading, before another can take over. */
  readonly renewDeadline?: Duration;
  readonly retryPeriod?: Duration;
  readonly onChange?: (leading: boolean) => void;
}

export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

/**
 * Waits until this process holds the lease, then runs `lead` with a signal that aborts when leadership is lost or the
 * given signal aborts. Throws LeadershipLost in the first case: start over or, better, exit.
 */
export async function runAsLeader(
  options: ElectionOptions,
  signal: AbortSignal,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const election = new Election(options);
  if (!(await election.acquire(signal))) return;
  const reign = new AbortController();
  const ended = new AbortController();
  const leading = lead(AbortSignal.any([signal, reign.signal]));
  const renewing = election.keep(AbortSignal.any([signal, ended.signal])).then(lost => {
    if (lost) reign.abort(new LeadershipLost('the lease could not be renewed'));
    return lost;
  });
  try {
    await leading;
  } finally {
    ended.abort();
    const lost = await renewing;
    options.onChange?.(false);
    if (!lost) await election.release();
  }
  if (reign.signal.aborted) throw reign.signal.reason;
}

class Election {
  readonly #options: ElectionOptions;
  readonly #terms: { readonly identity: string; readonly leaseDuration: Duration };
  #observed: { readonly lease: Lease; readonly at: number } | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#terms = { identity: options.identity, leaseDuration: options.leaseDuration ?? seconds(15) };
  }

  async acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, log, onChange } = this.#options;
    while (!signal.aborted) {
      if (await this.#try()) {
        log.info({ identity: this.#terms.identity }, 'Leadership acquired');
        onChange?.(true);
        return true;
      }
      // Jitter, or waiters that started together keep racing for the same moment.
      await pause(clock, milliseconds(this.#retryPeriod * (1 + 0.2 * clock.random())), signal);
    }
    return false;
  }

  /** Renews until the signal aborts. True when the lease was lost instead. */
  async keep(signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#options;
    const deadline = this.#options.renewDeadline ?? seconds(10);
    let renewed = clock.now();
    while (!signal.aborted) {
      await pause(clock, this.#retryPeriod, signal);
      if (signal.aborted) return false;
      if (await this.#try()) renewed = clock.now();
      else if (clock.now() - renewed >= deadline) {
        log.error({ identity: this.#terms.identity }, 'Leadership lost (Lease could not be renewed in time)');
        return true;
      }
    }
    return false;
  }

  async release(): Promise<void> {
    const { client, clock, log } = this.#options;
    const lease = this.#observed?.lease;
    if (!lease || lease.spec?.holderIdentity !== this.#terms.identity) return;
    try {
      await client.update(leases, { ...lease, spec: releasedSpec(lease, clock.now()) });
    } catch (error) {
      log.warn(errorFields(error), 'Lease could not be released; the next leader waits until it expires');
    }
  }

  get #retryPeriod(): Duration {
    return this.#options.retryPeriod ?? seconds(2);
  }

  /** One attempt to acquire or renew the lease. A write with a stale resourceVersion is rejected, which makes it a lock. */
  async #try(): Promise<boolean> {
    const { client, clock, log, lease: key } = this.#options;
    try {
      const found = await client.find(leases, key);
      if (!found) {
        this.#see(
          await client.create(leases, { metadata: { ...key }, spec: takenSpec(undefined, this.#terms, clock.now()) }),
        );
        return true;
      }
      const observedAt = this.#see(found);
      if (heldByOther(found, this.#terms, { observedAt, now: clock.now() })) return false;
      this.#see(await client.update(leases, { ...found, spec: takenSpec(found, this.#terms, clock.now()) }));
      return true;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error))
        log.warn(errorFields(error), 'Lease could not be written; retrying');
      return false;
    }
  }

  /** Remembers when *we* saw this version: another machine's clock is not to be trusted with our patience. */
  #see(lease: Lease): number {
    if (this.#observed?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion) {
      this.#observed = { lease, at: this.#options.clock.now() };
    }
    return this.#observed?.at ?? this.#options.clock.now();
  }
}

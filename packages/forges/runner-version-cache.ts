import { type Clock, minutes } from '@minifleet/clock';
import type { Forge, RunnerVersionSupport } from './forge.ts';

/** Support of runner versions as the forge last reported it. */
export interface RunnerVersionCache {
  /**
   * The last answer without waiting; undefined if there is none, or if the forge does not know the version. A version
   * without an answer of today is requested in the background, also after a failure at most once a day.
   */
  read(forge: Forge, version: string, subscriber: string): RunnerVersionSupport | undefined;
}

interface RunnerVersionCacheOptions {
  readonly clock: Clock;
  /** An answer arrived that changes what `read` returns. */
  readonly onChange: (subscriber: string) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Deadlines change with releases, which are weeks apart. */
const MAX_AGE = minutes(24 * 60);

interface VersionEntry {
  requestedAt: number;
  support: RunnerVersionSupport | undefined;
  readonly subscribers: Set<string>;
}

export function createRunnerVersionCache({ clock, onChange, onFailed }: RunnerVersionCacheOptions): RunnerVersionCache {
  const accounts = new WeakMap<Forge, Map<string, VersionEntry>>();

  function entryOf(forge: Forge, version: string): VersionEntry {
    const entries = accounts.get(forge) ?? new Map<string, VersionEntry>();
    accounts.set(forge, entries);
    const entry = entries.get(version) ?? { requestedAt: -Infinity, support: undefined, subscribers: new Set() };
    entries.set(version, entry);
    return entry;
  }

  async function request(forge: Forge, version: string, entry: VersionEntry): Promise<void> {
    const before = entry.support?.endsAt;
    entry.support = await forge.runnerVersion(version);
    if (entry.support?.endsAt !== before) for (const subscriber of entry.subscribers) onChange(subscriber);
  }

  return {
    read(forge, version, subscriber) {
      const entry = entryOf(forge, version);
      entry.subscribers.add(subscriber);
      if (clock.now() - entry.requestedAt >= MAX_AGE) {
        entry.requestedAt = clock.now();
        request(forge, version, entry).catch(onFailed);
      }
      return entry.support;
    },
  };
}

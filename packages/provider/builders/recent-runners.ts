import { type Clock, createTtlCache, seconds } from '@minifleet/clock';
import type { Forge, Runner } from '@minifleet/forges';

/** Registered runners of a GitHub account, at most 30 seconds old: one list serves all machines that ask together. */
export interface RecentRunners {
  find(forge: Forge, name: string): Promise<Runner | undefined>;
  /** Drops the list after a change. */
  forget(forge: Forge): void;
}

export function createRecentRunners(clock: Clock): RecentRunners {
  // The resolver gives one forge for the same credentials, so a new credential means a new list.
  const lists = createTtlCache({ clock, ttl: seconds(30), load: (forge: Forge) => forge.runners() });
  return {
    async find(forge, name) {
      const listed = (await lists.get(forge)).find(runner => runner.name === name);
      // Online since, registered since, or missed between two pages: only a lookup by name proves absent or offline.
      return listed?.state === 'online' ? listed : forge.runner(name);
    },
    forget: forge => lists.delete(forge),
  };
}

import { type Clock, seconds } from '@minifleet/clock';
import type { Forge, Runner } from '@minifleet/forges';

/** Who is registered with a forge, as it was told a moment ago: one list answers for all machines that ask together. */
export interface RecentRunners {
  find(forge: Forge, name: string): Promise<Runner | undefined>;
  /** Somebody changed something there. */
  forget(forge: Forge): void;
}

const RECENT = seconds(30);

interface Look {
  readonly at: number;
  readonly list: Promise<readonly Runner[]>;
}

export function createRecentRunners(clock: Clock): RecentRunners {
  // The resolver gives one forge for the same credentials, so a list goes when they do.
  const looks = new WeakMap<Forge, Look>();

  function recent(forge: Forge): Promise<readonly Runner[]> {
    const last = looks.get(forge);
    if (last && clock.now() - last.at < RECENT) return last.list;
    const look = { at: clock.now(), list: forge.runners() };
    looks.set(forge, look);
    look.list.catch(() => {
      if (looks.get(forge) === look) looks.delete(forge);
    });
    return look.list;
  }

  return {
    async find(forge, name) {
      const listed = (await recent(forge)).find(runner => runner.name === name);
      // Online since, registered since, or slipped between two pages: absent and offline is only who is found so by name.
      return listed?.state === 'online' ? listed : forge.runner(name);
    },
    forget: forge => void looks.delete(forge),
  };
}

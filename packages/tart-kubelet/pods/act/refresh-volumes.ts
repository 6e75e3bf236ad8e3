import { type Clock, seconds } from '@minifleet/clock';
import { errorFields, type Pod } from '@minifleet/kube';
import type { Work } from '../pod-context.ts';
import { type ContentOf, volumeReferences } from '../volumes/volume-content.ts';

const AGAIN_AFTER = seconds(10);

export const volumeContentOf = ({ around }: Work, pod: Pod): ContentOf => ({
  pod,
  node: around.node(),
  config: around.config,
  tokens: around.tokens,
  now: around.clock.now(),
});

/** Keeps the volumes of a running Pod true: tokens before they expire, ConfigMaps and Secrets as they change. */
export function keepVolumesFresh(work: Work): { touch(): void; end(): void } {
  const { life, around } = work;
  const timer = oneTimer(around.clock);
  let writing = false;
  let again = false;
  let ended = false;

  async function write(pod: Pod): Promise<void> {
    writing = true;
    try {
      do {
        again = false;
        await life.volumes.write(volumeContentOf(work, pod));
      } while (again && !ended);
      if (life.volumes.staleAt !== undefined && !ended) timer.set(life.volumes.staleAt, touch);
    } catch (error) {
      if (ended) return;
      // What the guest has is old, not wrong: it keeps it, and a person can read why.
      work.log.warn(errorFields(error), 'Volumes not renewed');
      work.say('Warning', 'FailedMount', `MountVolume.SetUp failed for ${(error as Error).message}`);
      timer.set(around.clock.now() + AGAIN_AFTER, touch);
    } finally {
      writing = false;
    }
  }

  function touch(): void {
    const { pod } = life;
    if (ended || !pod) return;
    if (writing) again = true;
    else void write(pod);
  }

  const follow = life.pod ? volumeReferences(life.pod) : [];
  const unfollow = follow.map(reference => around.watches.follow(reference, touch));
  if (life.volumes.staleAt !== undefined) timer.set(life.volumes.staleAt, touch);
  // Found running after a restart of the agent: how old its tokens are nobody remembers.
  else if ((life.pod?.spec?.volumes ?? []).some(({ projected }) => projected)) touch();
  return {
    touch,
    end() {
      ended = true;
      timer.clear();
      for (const stop of unfollow) stop();
    },
  };
}

function oneTimer(clock: Clock): { set(at: number, callback: () => void): void; clear(): void } {
  let pending: { cancel(): void } | undefined;
  return {
    set(at, callback) {
      pending?.cancel();
      pending = clock.after(seconds(Math.max(0, at - clock.now()) / 1_000), callback);
    },
    clear: () => pending?.cancel(),
  };
}

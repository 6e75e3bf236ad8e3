import { type Clock, seconds } from '@minifleet/clock';
import { errorFields, type Pod } from '@minifleet/kube';
import type { PodContext } from '../pod-context.ts';
import { type VolumeContentInput, volumeReferences } from '../volumes/volume-content.ts';

const AGAIN_AFTER = seconds(10);

export const volumeContentOf = ({ deps }: PodContext, pod: Pod): VolumeContentInput => ({
  pod,
  node: deps.node(),
  config: deps.config,
  tokens: deps.tokens,
  now: deps.clock.now(),
});

/** Refreshes the volumes of a running Pod: tokens before they expire, ConfigMaps and Secrets when they change. */
export function refreshVolumes(context: PodContext): { touch(): void; end(): void } {
  const { state, deps } = context;
  const timer = oneTimer(deps.clock);
  let writing = false;
  let again = false;
  let ended = false;

  async function write(pod: Pod): Promise<void> {
    writing = true;
    try {
      do {
        again = false;
        await state.volumes.write(volumeContentOf(context, pod));
      } while (again && !ended);
      if (state.volumes.staleAt !== undefined && !ended) timer.set(state.volumes.staleAt, touch);
    } catch (error) {
      if (ended) return;
      // The guest keeps its old content, which is stale but not wrong; the event states the reason.
      context.log.warn(errorFields(error), 'Volume refresh failed; retrying');
      context.emit('Warning', 'FailedMount', `MountVolume.SetUp failed for ${(error as Error).message}`);
      timer.set(deps.clock.now() + AGAIN_AFTER, touch);
    } finally {
      writing = false;
    }
  }

  function touch(): void {
    const { pod } = state;
    if (ended || !pod) return;
    if (writing) again = true;
    else void write(pod);
  }

  const follow = state.pod ? volumeReferences(state.pod) : [];
  const unfollow = follow.map(reference => deps.watches.follow(reference, touch));
  if (state.volumes.staleAt !== undefined) timer.set(state.volumes.staleAt, touch);
  // The guest was found running after an agent restart, so the age of its tokens is unknown.
  else if ((state.pod?.spec?.volumes ?? []).some(({ projected }) => projected)) touch();
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

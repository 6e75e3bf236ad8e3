import path from 'node:path';
import type { Quantity } from '@minifleet/api';
import { pause, seconds } from '@minifleet/clock';
import { type Pod, parseQuantity } from '@minifleet/kube';
import { podPlaces } from '../pod-places.ts';
import { folderExceeds } from '../volumes/folder-exceeds.ts';
import type { Work } from '../work.ts';

/** Every file is looked at each time: a large build folder costs a second or two of the disk. */
const EVERY = seconds(30);

/** Measures emptyDir volumes that have a limit until the signal aborts. As kubelet, a Pod beyond it is evicted: writes do not fail. */
export async function watchSizes(work: Work, signal: AbortSignal): Promise<void> {
  const { life, around } = work;
  const limited = life.pod ? limitsOf(life.pod) : [];
  while (limited.length > 0 && !signal.aborted) {
    await pause(around.clock, EVERY, signal);
    for (const { name, limit } of limited) {
      const folder = path.join(podPlaces(around.directories.state, life.uid).volumes, name);
      if (signal.aborted || !(await folderExceeds(folder, parseQuantity(limit)))) continue;
      return evict(work, `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}".`);
    }
  }
}

interface Limited {
  readonly name: string;
  readonly limit: Quantity;
}

/** A limit of nothing is none. */
const limitsOf = ({ spec }: Pod): Limited[] =>
  (spec?.volumes ?? []).flatMap(({ name, emptyDir }) =>
    emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit) > 0
      ? [{ name, limit: emptyDir.sizeLimit }]
      : [],
  );

function evict(work: Work, message: string): void {
  const { life } = work;
  if (life.ending) return;
  life.ending = { reason: 'Evicted', message };
  work.say('Warning', 'Evicted', message);
  work.wake();
}

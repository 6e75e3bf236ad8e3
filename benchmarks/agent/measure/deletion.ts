import type { BenchCluster } from '../cluster/start-cluster.ts';
import { DELETION } from '../names.ts';
import { createPod, deletePod } from './bench-pods.ts';
import { openFleet } from './open-fleet.ts';
import type { PodObserver } from './pod-observer.ts';
import { type Spread, spreadOf } from './spread.ts';

export interface DeletionFigures {
  readonly alone: Spread;
  readonly whileAnotherPulls: Spread;
}

/** Measures the deletion of a running Pod on an idle node, and on a node that pulls an image. */
export async function measureDeletion(bench: BenchCluster, observer: PodObserver): Promise<DeletionFigures> {
  const { admin } = bench;
  await using fleet = await openFleet(bench, { way: 'minifleet', name: 'deletion', nodes: 1, bootMs: 50 });
  const live = async (name: string): Promise<number> => {
    await createPod(admin, { name, fleet: fleet.name });
    await observer.reached([name], 'running');
    const begun = performance.now();
    await deletePod(admin, name);
    await observer.reached([name], 'gone');
    return performance.now() - begun;
  };
  const lives = async (prefix: string): Promise<Spread> => {
    const took: number[] = [];
    for (let pod = 0; pod < DELETION.pods; pod++) took.push(await live(`${prefix}-${pod}`));
    return spreadOf(took);
  };
  await live('warm-up');
  const alone = await lives('alone');
  await createPod(admin, { name: 'pulls', fleet: fleet.name, image: 'registry.example/slow:15' });
  await observer.reached(['pulls'], 'bound');
  return { alone, whileAnotherPulls: await lives('beside') };
}

import { names } from '@minifleet/api';
import { nodes, type Pod, pods } from '@minifleet/kube';
import type { Stage } from '../stage.ts';
import { awaitScene } from './await-scene.ts';
import { unlessGone } from './unless-gone.ts';

/** The pool of docs/examples/first-pool.yaml, and the fleet it runs on. */
export const POOL = { namespace: 'tuist-runners', name: 'warm' };
export const FLEET = 'runners';
/** For the moment until a Pod is placed. */
const ELSEWHERE = { key: 'minifleet.dev/break', effect: 'NoSchedule' };

export async function runnersOf({ client }: Stage): Promise<readonly Pod[]> {
  const labelSelector = `${names.labels.runnerPool}=${POOL.name}`;
  return (await client.list(pods, { namespace: POOL.namespace, labelSelector })).items;
}

async function otherHosts({ client, name }: Stage): Promise<readonly string[]> {
  const { items } = await client.list(nodes, { labelSelector: `${names.labels.fleet}=${FLEET}` });
  return items.map(({ metadata }) => metadata.name).filter(other => other !== name);
}

export const isOnlyHost = async (stage: Stage): Promise<boolean> => (await otherHosts(stage)).length === 0;

/**
 * Deletes an idle runner, and keeps the scheduler from the other hosts until its successor is placed here: some seconds. One that is
 * replaced for another reason in this very moment has a successor, too.
 */
export async function replaceOneHere(stage: Stage): Promise<string> {
  const { client, kubectl, name } = stage;
  const known = await runnersOf(stage);
  const old = known.find(({ spec }) => spec?.nodeName === name) ?? known[0];
  const others = await otherHosts(stage);
  // Settled: one that is replaced in this moment is no place for the Pod either.
  const taint = (suffix: string): Promise<unknown> =>
    Promise.allSettled(others.map(other => kubectl('taint', 'node', other, `${ELSEWHERE.key}${suffix}`)));
  await taint(`=true:${ELSEWHERE.effect}`);
  try {
    if (old) await client.delete(pods, { ...POOL, name: old.metadata.name }).catch(unlessGone);
    return await awaitScene(stage, 'another runner is placed on it', async () => {
      const isNew = ({ metadata }: Pod): boolean => !known.some(pod => pod.metadata.uid === metadata.uid);
      return (await runnersOf(stage)).find(pod => isNew(pod) && pod.spec?.nodeName === name)?.metadata.name;
    });
  } finally {
    await taint('-');
  }
}

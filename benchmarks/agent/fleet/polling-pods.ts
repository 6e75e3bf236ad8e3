import { seconds, timestamp } from '@minifleet/clock';
import { createInformer, isConflict, isNotFound, type Pod, pods as podResource, silentLog } from '@minifleet/kube';
import type { NodeDeps, StartedPods } from './node-deps.ts';

/** The interval of virtual-kubelet for providers without notifications, and of other Mac workers. */
const POLL_INTERVAL = seconds(5);

/**
 * The baseline: starts a guest as soon as its Pod is observed, then polls all guests every five seconds. It has no
 * admission, volumes, images, events, probes or records, so everything but the poll is in its favour.
 */
export function startPollingPods({ name, client, clock, guests, directory }: NodeDeps): StartedPods {
  const selection = { fieldSelector: `spec.nodeName=${name}` };
  const informer = createInformer<Pod>({ client, resource: podResource, selection, clock, log: silentLog });
  const idOf = ({ metadata }: Pod) => ({ uid: metadata.uid ?? '', attempt: 0 });
  const keyOf = ({ metadata }: Pod) => ({ namespace: metadata.namespace ?? '', name: metadata.name });

  const start = (pod: Pod): Promise<void> =>
    guests.start({
      id: idOf(pod),
      pod: pod.metadata.name,
      image: 'image',
      shares: [],
      freshIdentity: true,
      logFile: directory,
      bootWithin: seconds(60),
    });

  async function end(pod: Pod): Promise<void> {
    if (!guests.find(idOf(pod))) return;
    await guests.stop(idOf(pod), seconds(1));
    await guests.remove(idOf(pod));
    await client.delete(podResource, keyOf(pod), { gracePeriodSeconds: 0 });
  }

  async function report(pod: Pod): Promise<void> {
    const state = guests.find(idOf(pod))?.state;
    const phase = state?.phase === 'running' ? 'Running' : 'Pending';
    if (pod.status?.phase === phase && pod.status.startTime) return;
    const status = { phase, startTime: timestamp(clock.now()), conditions: [{ type: 'Ready', status: 'True' }] };
    await client.patch(podResource, keyOf(pod), { type: 'strategic', body: { status } }, { subresource: 'status' });
  }

  const ignoreGone = (error: unknown): void => {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  };
  informer.subscribe(change => {
    if (change.type === 'deleted') return;
    const pod = change.object;
    void (pod.metadata.deletionTimestamp ? end(pod) : start(pod)).catch(ignoreGone);
  });
  // Random phase, because nodes start at different times.
  const poll = (): void => {
    for (const pod of informer.cache.list()) if (!pod.metadata.deletionTimestamp) void report(pod).catch(ignoreGone);
    clock.after(POLL_INTERVAL, poll);
  };
  clock.after(seconds((POLL_INTERVAL / 1_000) * clock.random()), poll);
  void informer.run(new AbortController().signal);
  return {
    get synced() {
      return informer.hasSynced;
    },
  };
}

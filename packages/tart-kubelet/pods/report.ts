import { isConflict, isNotFound, pods } from '@minifleet/kube';
import { see } from './apply-update.ts';
import { look, type Sight } from './observe.ts';
import type { Work } from './pod-context.ts';
import { podStatus, statusPatch } from './status/pod-status.ts';

/**
 * Makes the server's status say what is so; costs nothing when it does already. The patch carries the UID and no
 * version: a Pod of the same name that came after is not touched, and nobody else's write gets in our way.
 */
export async function report(work: Work, sight: Sight = look(work)): Promise<void> {
  const { life, around } = work;
  const { pod } = life;
  if (!pod || life.gone) return;
  const wanted = podStatus({
    ...sight,
    pod,
    lastExit: life.lastExit,
    waiting: life.waiting,
    ending: life.ending,
    probes: probesOf(work, sight),
    hostAddresses: around.node().addresses,
    tornDown: life.tornDown,
    now: around.clock.now(),
  });
  const status = statusPatch(pod.status, wanted);
  if (!status) return;
  const { namespace = 'default', name, uid } = pod.metadata;
  const patch = { type: 'strategic', body: { metadata: { uid }, status } } as const;
  try {
    see(work, await around.client.patch(pods, { namespace, name }, patch, { subresource: 'status' }));
  } catch (error) {
    // Gone, or another Pod of the same name: the watch is about to say so.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

function probesOf({ life }: Work, { run }: Sight): { started: boolean; ready: boolean } {
  const { tending } = life;
  return tending && tending.attempt === run?.attempt ? tending.prober : { started: false, ready: false };
}

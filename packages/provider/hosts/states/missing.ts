import { seconds } from '@minifleet/clock';
import { freeHost, isReleaseRecorded } from '../free-host.ts';
import type { StateHandler, StateResult } from '../host-scope.ts';
import { deleteOwnNode } from '../left-nodes.ts';

/**
 * The vendor no longer has the server. Its machine keeps the hold until it is deleted, because the vendor may list the server again. A
 * machine without a providerID has not used the host yet, and claims another one.
 */
export const missing: StateHandler = async (scope, deps) => {
  const { host, consumer } = scope;
  const { client, clock, clusterId, jobs } = deps;
  await jobs.cancel(host.metadata.name, 'the server no longer exists at the vendor');
  delete host.status?.job;
  const { consumerRef, release } = host.spec;
  if (!consumerRef) return result('; delete the MacHost if the rental has ended');
  const holder = `${consumerRef.namespace}/${consumerRef.name}`;
  if (consumer && consumer.spec.providerID !== undefined && release === undefined)
    return result(`; delete the Machine of ${holder} to get another host`);
  // Nothing is left to reinstall or to rename.
  await deleteOwnNode(scope, deps);
  if (!isReleaseRecorded(host, 'Vanished', clock.now())) return result('; recording the release', NEXT_RECONCILE);
  await freeHost(client, host, { clusterId });
  return result(`; released from ${holder}`);
};

const NEXT_RECONCILE = seconds(1);

const result = (next: string, again?: StateResult['again']): StateResult => ({
  ready: false,
  reason: 'NotReady',
  message: `Missing: the server no longer exists at the vendor${next}`,
  ...(again === undefined ? {} : { again }),
});

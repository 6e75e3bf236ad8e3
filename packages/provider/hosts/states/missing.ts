import { freeHost, isReleaseRecorded } from '../free-host.ts';
import type { StateHandler, StateResult } from '../host-scope.ts';

/** The vendor no longer has the server. Its machine keeps the hold until it is deleted, because the vendor may list the server again. */
export const missing: StateHandler = async ({ host, consumer }, { client, clock, clusterId, jobs }) => {
  await jobs.cancel(host.metadata.name, 'the server no longer exists at the vendor');
  delete host.status?.job;
  const { consumerRef, release } = host.spec;
  if (!consumerRef) return result('; delete the MacHost if the rental has ended');
  const holder = `${consumerRef.namespace}/${consumerRef.name}`;
  if (consumer && release === undefined) return result(`; delete the Machine of ${holder} to get another host`);
  // Nothing is left to reinstall or to rename.
  if (!isReleaseRecorded(host, 'Returned', clock.now())) return result('; recording the release');
  await freeHost(client, host, { clusterId });
  return result(`; released from ${holder}`);
};

const result = (next: string): StateResult => ({
  ready: false,
  reason: 'NotReady',
  message: `Missing: the server no longer exists at the vendor${next}`,
});

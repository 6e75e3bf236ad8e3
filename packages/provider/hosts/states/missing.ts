import type { StateHandler } from '../host-scope.ts';

/** The vendor no longer lists the server. Nothing is done; the next list may have it again. */
export const missing: StateHandler = async ({ host, consumer }, { jobs }) => {
  await jobs.cancel(host.metadata.name, 'the server no longer exists at the vendor');
  delete host.status?.job;
  const held = consumer
    ? `; delete the Machine of ${consumer.metadata.namespace}/${consumer.metadata.name} to get another host`
    : '';
  return { ready: false, reason: 'NotReady', message: `Missing: the server no longer exists at the vendor${held}` };
};

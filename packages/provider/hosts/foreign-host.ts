import type { HostState } from '@minifleet/api';
import { seconds } from '@minifleet/clock';
import { freeHost, isReleaseRecorded } from './free-host.ts';
import type { HandlerDeps, HostScope, StateResult } from './host-scope.ts';
import { vendorNameState } from './vendor-name.ts';

const NEXT_RECONCILE = seconds(1);

/**
 * Name that another cluster or an operator gave the server, read from the vendor. A list may be older than the name, and so may the claim:
 * etcd may have been restored from a backup.
 */
export async function foreignName({ host, vendor }: Pick<HostScope, 'host' | 'vendor'>): Promise<string | undefined> {
  const { scaleway } = host.spec.source;
  const server = vendor && scaleway && (await vendor.server({ zone: scaleway.zone, id: scaleway.serverID }));
  return server && vendorNameState(server.name, host) === 'foreign' ? server.name : undefined;
}

/** True if the last list shows the name of another user. It may be outdated: `foreignName` confirms it. */
export const isListedAsForeign = ({ host, server }: HostScope): boolean =>
  server !== undefined && host.spec.source.scaleway !== undefined && vendorNameState(server.name, host) === 'foreign';

export const named = (foreign: string): string => `the server is named ${foreign} at the vendor`;

/** Ends the hold and leaves the Mac as it is. A machine that is not being deleted claims another host. */
export async function leaveToOthers(
  state: HostState,
  { host }: HostScope,
  { client, clock, clusterId, events, jobs }: HandlerDeps,
  why: string,
): Promise<StateResult> {
  await jobs.cancel(host.metadata.name, why);
  delete host.status?.job;
  if (isReleaseRecorded(host, 'LeftToOthers', clock.now())) {
    await freeHost(client, host, { clusterId });
    const note = `${why}; the hold has ended and the Mac is left as it is`;
    events.record({ regarding: host, type: 'Warning', reason: 'LetGo', action: 'Release', note });
  }
  return { ready: false, reason: 'NotReady', message: `${state}: released: ${why}`, again: NEXT_RECONCILE };
}

import { type Duration, milliseconds } from '@minifleet/clock';
import type { Node } from '@minifleet/kube';

/**
 * Time in milliseconds since 1970 since which the agent of the Node has reported nothing; undefined while it reports. Kubernetes sets all
 * conditions to Unknown when the heartbeats end: the Mac is down, or the agent lost its credentials.
 */
export function silentSince(node: Node | undefined): number | undefined {
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'Unknown') return undefined;
  return ready.lastTransitionTime === undefined ? 0 : Date.parse(ready.lastTransitionTime);
}

/**
 * Time until the agent of a silent Node gets a bootstrap token, because it may have lost its credentials: 0 if it gets one now, undefined
 * while the Node reports. Most silent Nodes report again before: a Mac restarts within three minutes, and an agent is replaced within
 * seconds.
 */
export function timeUntilRejoin(
  node: Node | undefined,
  { now, after }: { readonly now: number; readonly after: Duration },
): Duration | undefined {
  const since = silentSince(node);
  return since === undefined ? undefined : milliseconds(Math.max(0, since + after - now));
}

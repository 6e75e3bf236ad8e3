import { names } from '@minifleet/api';
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

/** True if Minifleet's agent reports for the Node. The agent of the previous system has the token of a ServiceAccount and no certificate. */
export const hasOwnAgent = ({ metadata }: Pick<Node, 'metadata'>): boolean =>
  metadata.labels?.[names.labels.agentVersion] !== undefined;

/**
 * Time until the agent of a Node gets a bootstrap token: 0 if it gets one now, undefined while it needs none. A host of the previous system
 * gets one with its first rollout, so that the new agent joins before the Node counts as silent. The agent of a silent Node may have lost
 * its credentials. Most silent Nodes report again before: a Mac restarts within three minutes, and an agent is replaced within
 * seconds.
 */
export function timeUntilRejoin(
  node: Node | undefined,
  { now, after }: { readonly now: number; readonly after: Duration },
): Duration | undefined {
  if (node && !hasOwnAgent(node)) return milliseconds(0);
  const since = silentSince(node);
  return since === undefined ? undefined : milliseconds(Math.max(0, since + after - now));
}

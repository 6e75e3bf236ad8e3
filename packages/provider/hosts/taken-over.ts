import { isConditionTrue } from '@minifleet/kube';
import { isTakenOver } from '../cluster-api/host-ids.ts';
import type { HostScope } from './host-scope.ts';

/** Condition of a machine of the previous system whose host was bootstrapped. */
const BOOTSTRAPPED = 'Bootstrapped';

/**
 * True for a host that serves although its MacHost does not say so: its status was lost or not moved, or the previous system bootstrapped
 * it. Its Node exists, or the server had the name of its machine before the claim and that system says that the host serves. No remedy may
 * end the VMs of such a host.
 */
export function servesAlready({ host, consumer, node }: Pick<HostScope, 'host' | 'consumer' | 'node'>): boolean {
  // An agent of the previous system may have registered its Node without a providerID.
  const found = node?.spec?.providerID;
  if (node && (!found || found === host.spec.desired?.providerID)) return true;
  return isTakenOver(host) && consumer !== undefined && isConditionTrue(consumer, BOOTSTRAPPED);
}

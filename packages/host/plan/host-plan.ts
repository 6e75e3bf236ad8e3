import { createPlan, type Plan } from '../engine/plan.ts';
import { wanted } from '../engine/step.ts';
import { autoLogin } from '../steps/auto-login/auto-login.ts';
import { guestDhcpLease } from '../steps/guest-dhcp-lease/guest-dhcp-lease.ts';
import { hostname } from '../steps/hostname/hostname.ts';
import { localNetwork } from '../steps/local-network/local-network.ts';
import { logRotation } from '../steps/log-rotation/log-rotation.ts';
import { neverSleep } from '../steps/never-sleep/never-sleep.ts';
import { sudo } from '../steps/sudo/sudo.ts';
import { tart } from '../steps/tart/tart.ts';
import { vmEgress } from '../steps/vm-egress/vm-egress.ts';
import { DEFAULT_BLOCKED, DEFAULT_GUESTS, type VmEgressWant } from '../steps/vm-egress/want.ts';
import { AGENT_LOG, agentSteps } from './agent-steps.ts';
import { builderSteps } from './builder-steps.ts';
import type { EgressSpec, HostSpec, LogRotationSpec } from './host-spec.ts';
import { wantedOrOff } from './wanted-or-off.ts';

/** RFC 1918: guests and everything else a builder talks to without leaving the building. */
export const PRIVATE_NETWORKS: readonly string[] = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
const LEASE_SECONDS = 600;
const LOGS = { files: [AGENT_LOG], maxBytes: 50_000_000, keep: 5 };

/**
 * All the steps of a host in their order. Sudo comes first because everything after it needs root; the login before
 * what lives in the session; the firewall before the agent that starts guests; the runner last, since it takes jobs.
 */
export function hostPlan(spec: HostSpec): Plan {
  const { fleet, host } = spec;
  const { user, password, name } = host;
  const localNetworks = unlessOff(fleet.localNetwork, PRIVATE_NETWORKS);
  const leaseSeconds = unlessOff(fleet.guestLeaseSeconds, LEASE_SECONDS);
  const egress = unlessOff<EgressSpec>(fleet.egress, {});
  const logs = unlessOff<LogRotationSpec>(fleet.logRotation, {});
  return createPlan([
    wanted(sudo, { user, password }),
    wanted(autoLogin, { user, password }),
    wanted(neverSleep, {}),
    wanted(hostname, { name }),
    ...wantedOrOff(localNetwork, localNetworks && { addresses: localNetworks }),
    ...wantedOrOff(guestDhcpLease, leaseSeconds === undefined ? undefined : { seconds: leaseSeconds }),
    ...wantedOrOff(tart, fleet.tart),
    ...wantedOrOff(vmEgress, egress && egressOf(egress)),
    ...agentSteps(spec),
    ...wantedOrOff(logRotation, logs && { ...LOGS, ...logs }),
    ...builderSteps(spec),
  ]);
}

/** Left out is the default, `false` is off. */
const unlessOff = <T>(given: T | false | undefined, usual: T): T | undefined =>
  given === false ? undefined : (given ?? usual);

const egressOf = ({ guests = DEFAULT_GUESTS, blocked = DEFAULT_BLOCKED, allow = [] }: EgressSpec): VmEgressWant => ({
  guests,
  blocked,
  allow,
});

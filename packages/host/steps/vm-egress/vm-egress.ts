import { minutes } from '@minifleet/clock';
import { drift, needsReboot, type StepDefinition } from '../../engine/step.ts';
import { egressLeftovers, rebootDifferences, vmEgressDifferences } from './egress-differences.ts';
import type { VmEgressSettings } from './egress-spec.ts';
import { installEgress, removeEgress } from './install-egress.ts';
import { observeEgress } from './observe.ts';
import { containsOwnRules } from './pf-conf.ts';
import { desiredEgress } from './render-rules.ts';

/**
 * Keeps guests off private networks, off the host and off each other.
 *
 * The same rules are loaded at two places. `com.apple/tuist.runners` hangs below `anchor "com.apple/*"`, which the ruleset
 * of every running Mac has, so it is in force at once, without the load of the whole pf.conf that collides on a live host
 * (facts §3.10) and would take running guests' NAT along. `tuist.runners` is what the marked block of pf.conf refers to:
 * it is in force from the next boot on, even if our job never runs. Being by name before `tuist.sshguard`, the first also
 * blocks before that guard lets guests out to every port 22.
 *
 * Nothing that runs is disturbed: pf swaps the rules of an anchor in one transaction and keeps its states, so that a
 * connection which was allowed lives on, also when it would not be allowed any more.
 */
export const vmEgress = {
  id: 'vm-egress',
  title: 'VM egress firewall',
  disturbs: 'nothing',
  timeout: minutes(2),

  async inspect(host, want) {
    const wanted = desiredEgress(want);
    const seen = await observeEgress(host, wanted.rules.text);
    const differences = vmEgressDifferences(seen, wanted);
    const pending = rebootDifferences(seen);
    if (differences.length > 0 || pending.length === 0) return drift([...differences, ...pending]);
    return needsReboot(pending.join('; '));
  },

  change: (host, want) => installEgress(host, desiredEgress(want)),

  removal: {
    async inspect(host) {
      const seen = await observeEgress(host, '');
      const block = seen.conf !== undefined && containsOwnRules(seen.conf) ? ['pf.conf still contains the block'] : [];
      return drift([...block, ...egressLeftovers(seen)]);
    },
    change: removeEgress,
  },
} satisfies StepDefinition<VmEgressSettings>;

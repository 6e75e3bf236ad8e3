import { minutes } from '@minifleet/clock';
import { drift, needsReboot, type StepDefinition } from '../../engine/step.ts';
import { egressLeftovers, rebootDifferences, vmEgressDifferences } from './egress-differences.ts';
import type { VmEgressSettings } from './egress-spec.ts';
import { installEgress, removeEgress } from './install-egress.ts';
import { observeEgress } from './observe.ts';
import { containsOwnRules } from './pf-conf.ts';
import { desiredEgress } from './render-rules.ts';

/**
 * Blocks guests from private networks, from the host and from each other.
 *
 * The same rules are loaded in two anchors. `com.apple/tuist.runners` is below `anchor "com.apple/*"`, which the
 * ruleset of every running Mac has. It is in effect at once, without loading the whole pf.conf, which collides on a
 * live host (facts §3.10) and would drop the NAT of running guests. `tuist.runners` is referenced by the marked block
 * of pf.conf: it is in effect from the next boot, even if the job never runs. The first anchor sorts before
 * `tuist.sshguard`, so it also blocks before that guard allows guests to reach every port 22.
 *
 * Disturbs nothing: pf replaces the rules of an anchor in one transaction and keeps its states, so that established
 * connections continue, even if the new rules would not allow them.
 */
export const vmEgress = {
  id: 'vm-egress',
  title: 'VM egress firewall',
  disturbs: 'nothing',
  timeout: minutes(2),

  async inspect(host, want) {
    const desired = desiredEgress(want);
    const observed = await observeEgress(host, desired.rules.text);
    const differences = vmEgressDifferences(observed, desired);
    const pending = rebootDifferences(observed);
    if (differences.length > 0 || pending.length === 0) return drift([...differences, ...pending]);
    return needsReboot(pending.join('; '));
  },

  change: (host, want) => installEgress(host, desiredEgress(want)),

  removal: {
    async inspect(host) {
      const observed = await observeEgress(host, '');
      const block =
        observed.conf !== undefined && containsOwnRules(observed.conf) ? ['pf.conf still contains the block'] : [];
      return drift([...block, ...egressLeftovers(observed)]);
    },
    change: removeEgress,
  },
} satisfies StepDefinition<VmEgressSettings>;

import { type Clock, type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import { findCondition, isConditionTrue } from '@minifleet/kube';
import type { MachineScope } from '../machine-scope.ts';
import { noted, passed, phase, waiting } from '../phase.ts';

// GitHub reports no changes of its runners, so they are polled. Each poll costs a request.
/** Most runners register within seconds; a missing one is polled less and less often. */
const FIRST_POLL = { first: seconds(3), most: seconds(15) };
const MISSING_POLL = minutes(1);
const ONLINE_POLL = minutes(5);
/** The runner was online: the host controller inspects its host, and the next poll is soon. */
const LOST_POLL = seconds(1);

/**
 * GitHub lists the runner of a builder as online. A new builder becomes a Machine after that; on a provisioned one, a missing runner is
 * noted, and its Node is checked all the same.
 */
export const builderRunnerOnline = phase('BuilderRunnerOnline', async ({ machine }, { forge, clock }) => {
  const { ghActionsRunner: spec } = machine.spec;
  if (!spec) return passed('NotABuilder');
  const { name, namespace = '' } = machine.metadata;
  const provisioned = machine.status?.initialization?.provisioned === true;
  const missing = provisioned ? noted : waiting;
  const state = await forge.state(namespace, spec, name);
  const wasOnline = isConditionTrue(machine, 'BuilderRunnerOnline');
  const again = wasOnline ? LOST_POLL : provisioned ? MISSING_POLL : firstPoll(machine, clock);
  if (state === 'absent')
    return missing('RunnerNotRegistered', `GitHub organization ${spec.ghOrg} has no runner ${name}`, again);
  if (state === 'offline')
    return missing('RunnerOffline', `GitHub reports the runner ${name} of ${spec.ghOrg} as offline`, again);
  return passed('RunnerOnline', `GitHub reports the runner ${name} of ${spec.ghOrg} as online`, ONLINE_POLL);
});

function firstPoll(machine: MachineScope['machine'], clock: Clock): Duration {
  const { first, most } = FIRST_POLL;
  const missed = findCondition(machine, 'BuilderRunnerOnline');
  const waited = missed?.status === 'False' ? clock.now() - Date.parse(missed.lastTransitionTime) : 0;
  return milliseconds(Math.min(Math.max(waited / 2, first), most));
}

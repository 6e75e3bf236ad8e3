import { type Clock, type Duration, milliseconds, minutes, seconds } from '@minifleet/clock';
import { findCondition, isConditionTrue } from '@minifleet/kube';
import { noted, passed, phase, waiting } from '../phase.ts';
import type { MachineScope } from '../scope.ts';

// GitHub tells nobody when a runner comes or goes.
/** Most come within seconds; one that does not is asked for less and less often. Each look costs a request. */
const LOOK_WHETHER_IT_COMES = { first: seconds(3), most: seconds(15) };
const LOOK_FOR_IT = minutes(1);
const LOOK_WHETHER_IT_STAYS = minutes(5);
/** One that was there: its host is looked at in the next pass, and what is missing there is mended. */
const LOOK_AT_ITS_HOST = seconds(1);

/**
 * Whether the forge sees a builder's runner. A builder becomes a machine once it does; of one that is a machine already it is
 * noted, for its Node is looked at all the same.
 */
export const builderRunnerOnline = phase('BuilderRunnerOnline', async ({ samm }, { runners, clock }) => {
  const { ghActionsRunner: spec } = samm.spec;
  if (!spec) return passed('NotABuilder');
  const { name, namespace = '' } = samm.metadata;
  const provisioned = samm.status?.initialization?.provisioned === true;
  const missing = provisioned ? noted : waiting;
  if (!runners) {
    return waiting(
      'RunnerNotRegistered',
      'GitHub is not configured in this provider; configure a GitHub App to use builders',
    );
  }
  const state = await runners.state(namespace, spec, name);
  const wasThere = isConditionTrue(samm, 'BuilderRunnerOnline');
  const again = wasThere ? LOOK_AT_ITS_HOST : provisioned ? LOOK_FOR_IT : whileItComes(samm, clock);
  if (state === 'absent')
    return missing('RunnerNotRegistered', `GitHub organization ${spec.ghOrg} has no runner ${name}`, again);
  if (state === 'offline')
    return missing('RunnerOffline', `GitHub reports the runner ${name} of ${spec.ghOrg} as offline`, again);
  return passed('RunnerOnline', `GitHub reports the runner ${name} of ${spec.ghOrg} as online`, LOOK_WHETHER_IT_STAYS);
});

function whileItComes(samm: MachineScope['samm'], clock: Clock): Duration {
  const { first, most } = LOOK_WHETHER_IT_COMES;
  const missed = findCondition(samm, 'BuilderRunnerOnline');
  const waited = missed?.status === 'False' ? clock.now() - Date.parse(missed.lastTransitionTime) : 0;
  return milliseconds(Math.min(Math.max(waited / 2, first), most));
}

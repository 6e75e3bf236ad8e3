import { seconds } from '@minifleet/clock';
import { needsOperator } from '@minifleet/errors';
import { messageOf } from '@minifleet/kube';
import type { ReleasePhase } from '../phase.ts';

const LOOK_WHETHER_IT_IS_FREE = seconds(30);

/** Takes a builder's runner out of the forge. A job it has is let end; a forge that will never answer holds up no deletion. */
export const removeRunner: ReleasePhase = {
  reason: 'RemovingRunner',
  async run({ samm }, { runners, events }) {
    const { ghActionsRunner: spec } = samm.spec;
    if (!spec || !runners) return { kind: 'done' };
    const { name, namespace = '' } = samm.metadata;
    try {
      if (await runners.remove(namespace, spec, name)) return { kind: 'done' };
    } catch (error) {
      if (!needsOperator(error)) throw error;
      const note = `the runner ${name} is still registered with ${spec.ghOrg}; remove it there: ${messageOf(error)}`;
      events.record({ regarding: samm, type: 'Warning', reason: 'RunnerNotRemoved', action: 'Release', note });
      return { kind: 'done' };
    }
    const message = `the runner ${name} is running a job; the host is released after it`;
    return { kind: 'waiting', reason: 'RemovingRunner', message, again: LOOK_WHETHER_IT_IS_FREE };
  },
};

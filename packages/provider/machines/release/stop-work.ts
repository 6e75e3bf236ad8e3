import { findCondition } from '@minifleet/kube';
import { cancelWork } from '../cancel-work.ts';
import type { ReleasePhase } from '../phase.ts';

/** Nothing more is done on the host for this machine, but for the one job that takes the agent off it. */
export const stopWork: ReleasePhase = {
  reason: 'StoppingWork',
  async run(scope, parts) {
    const { samm } = scope;
    const step = findCondition(samm, 'Deleting')?.reason;
    const quiescing = step === 'QuiescingHost' && samm.spec.hostRelease === 'Retain';
    if (!quiescing) await cancelWork(scope, parts, 'the machine is being deleted');
    return { kind: 'done' };
  },
};

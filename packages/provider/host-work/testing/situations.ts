import type { HostStep } from '@minifleet/api';
import type { Situation } from '../decide-host-work.ts';

export const NOW = Date.UTC(2030, 0, 1);
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();
export const PAST = at(-1);
export const LATER = at(60);

export const step = (name: string, more: Partial<HostStep> = {}): HostStep => ({
  name,
  state: 'Waiting',
  lastTransitionTime: at(-600),
  ...more,
});
export const failing = (
  name: string,
  attempts: number,
  nextAttemptTime?: string,
  more: Partial<HostStep> = {},
): HostStep =>
  step(name, {
    attempts,
    reason: 'HostCommandFailed',
    state: nextAttemptTime === undefined ? 'Failed' : 'Waiting',
    ...(nextAttemptTime === undefined ? {} : { nextAttemptTime }),
    ...more,
  });

/** A host that nobody has been to. */
export const fresh: Situation = {
  now: NOW,
  desired: 'w2-new',
  plan: {},
  steps: [],
  job: 'none',
  runTold: false,
  joined: false,
  server: 'ready',
  guests: 0,
  bake: undefined,
  mayBoot: false,
  canRestart: true,
  canWipe: true,
  letIn: false,
  served: false,
  permission: { go: true },
  inspectAt: undefined,
  settings: { rebootAfter: 3, giveUpAfter: 8 },
};
/** A host that serves with another plan than is wanted now. */
export const outdated: Situation = { ...fresh, plan: { applied: 'w1-old' }, joined: true };
/** A host that serves and is as wanted. */
export const kept: Situation = { ...fresh, plan: { applied: 'w2-new' }, joined: true, inspectAt: NOW + 1_000 };

import type { HostPlan, HostStep } from '@minifleet/api';
import { HOST_KEY_REFUSED } from '@minifleet/host';
import type { Server } from '@minifleet/vendors';
import type { BootstrapSettings } from '../program/settings.ts';
import { escalationOf } from './escalation/escalation.ts';
import { failingStep, isOfTheHost, notDone, OF_THE_HOST, stepsFor } from './journal/journal.ts';
import type { RollPermission } from './rolls/roll-permission.ts';

/** All that a decision about a host rests on, as plain data. */
export interface Situation {
  /** Milliseconds since 1970, as all times here. */
  readonly now: number;
  readonly desired: string;
  /** status.plan. */
  readonly plan: HostPlan;
  /** status.steps. */
  readonly steps: readonly HostStep[];
  /** This process's job; `ended` until its end is written down. */
  readonly job: 'none' | 'queued' | 'running' | 'ended';
  /** status.job tells of a run: without a job here it died with its process. */
  readonly runTold: boolean;
  /** A Node of this machine's providerID exists. */
  readonly joined: boolean;
  readonly server: Server['state'];
  /** Guests on the host, as far as the cluster knows. */
  readonly guests: number;
  /** On a builder: what it is at, in words; it counts among the guests. */
  readonly bake: string | undefined;
  /** Nobody is disturbed by a boot now: no guests, and no new ones can come. */
  readonly mayBoot: boolean;
  /** The vendor can restart a host, and install it anew. */
  readonly canRestart: boolean;
  readonly canWipe: boolean;
  /** The host has let us in before, be it in another cluster: clusterctl moves no status, but what is pinned. */
  readonly letIn: boolean;
  /** It has been as wanted once, be it in another cluster: guests may run on it that nobody here knows of. */
  readonly served: boolean;
  readonly permission: RollPermission;
  /** When the host is to be looked at again; never is undefined. */
  readonly inspectAt: number | undefined;
  readonly settings: Pick<BootstrapSettings, 'rebootAfter' | 'giveUpAfter'>;
}

export type Decision =
  | { readonly do: 'wait for the job' }
  | { readonly do: 'record the job' }
  | { readonly do: 'wait for the vendor' }
  /** A whole plan on a host that never was as wanted, or on one that serves. */
  | { readonly do: 'bootstrap' | 'roll' }
  /** `boots`: what is wanted is written down, and only a boot brings it into force. */
  | { readonly do: 'repair'; readonly only: readonly string[] | undefined; readonly boots?: true }
  | { readonly do: 'inspect' }
  /** `at` undefined: only another plan or a person helps. */
  | { readonly do: 'wait for the next try'; readonly step: HostStep; readonly at: number | undefined }
  | { readonly do: 'announce a restart' | 'restart' | 'announce a wipe' | 'wipe' | 'announce giving up' | 'give up' }
  | { readonly do: 'wait for its turn'; readonly why: string }
  | { readonly do: 'wait for guests to go'; readonly steps: readonly string[] }
  | { readonly do: 'nothing'; readonly until: number | undefined };

/** A step that is repaired alone again and again may need one before it: then the whole plan is gone through. */
const ALONE_AT_MOST = 3;

/** The host serves, or has served: what is running on it is not ours to end. */
export const isBootstrapped = ({ plan, joined, served }: Pick<Situation, 'plan' | 'joined' | 'served'>): boolean =>
  plan.applied !== undefined || joined || served;

/** What to do about a host now. One thing at a time: the next pass sees what came of it. */
export function decideHostWork(seen: Situation): Decision {
  const { job, steps, server, runTold } = seen;
  if (job === 'queued' || job === 'running') return { do: 'wait for the job' };
  if (job === 'ended') return { do: 'record the job' };
  if (told(steps, OF_THE_HOST.givingUp)) return { do: 'give up' };
  if (told(steps, OF_THE_HOST.wipe)?.state === 'Waiting') return { do: 'wipe' };
  if (told(steps, OF_THE_HOST.restart)?.state === 'Waiting') return { do: 'restart' };
  if (server !== 'ready') return { do: 'wait for the vendor' };
  if (runTold) return goOn(seen);
  return afterFailure(seen) ?? (seen.plan.applied === seen.desired ? keep(seen) : bring(seen));
}

const told = (steps: readonly HostStep[], name: string): HostStep | undefined => steps.find(step => step.name === name);

/** A run was under way when its process died: it had its turn, and what it held back may have been half done. */
function goOn(seen: Situation): Decision {
  if (seen.plan.applied === seen.desired) return { do: 'repair', only: undefined };
  return { do: isBootstrapped(seen) ? 'roll' : 'bootstrap' };
}

/**
 * What a failure asks for first; undefined when there is none, or when its time has come. A host that took a key of ours and takes it
 * no more may serve: the key was lost on the way here, and a wipe would cost its guests.
 */
function afterFailure(seen: Situation): Decision | undefined {
  const { steps, now, settings, canRestart, canWipe } = seen;
  const failing = failingStep(steps);
  if (!failing) return undefined;
  const spared = isBootstrapped(seen) || (seen.letIn && failing.reason === HOST_KEY_REFUSED.definition.reason);
  const escalation = spared ? 'none' : escalationOf(steps, settings);
  if (escalation === 'give up') return { do: 'announce giving up' };
  if (escalation === 'wipe' && canWipe) return { do: 'announce a wipe' };
  if (escalation === 'restart' && canRestart) return { do: 'announce a restart' };
  const at = timeOf(failing.nextAttemptTime);
  // One that only a person helps has no time, unless it is looked at again after a while.
  if (at !== undefined && at <= now) return undefined;
  return { do: 'wait for the next try', step: failing, at };
}

/** The host was seen as wanted: what is not so any more is mended, and every now and then someone looks. */
function keep(seen: Situation): Decision {
  const { steps, now, guests, mayBoot, inspectAt } = seen;
  const broken = steps.filter(isBroken);
  if (broken.length > 0) {
    const alone = broken.every(({ attempts = 0 }) => attempts < ALONE_AT_MOST);
    return { do: 'repair', only: alone ? broken.map(({ name }) => name) : undefined };
  }
  if (told(steps, OF_THE_HOST.host)) return { do: 'inspect' };
  const held = stepsFor(steps, notDone.heldBack);
  if (held.length > 0 && guests > 0) return { do: 'wait for guests to go', steps: held };
  if (held.length > 0) return whenDue(seen, held, { do: 'repair', only: held });
  const pending = stepsFor(steps, notDone.rebootPending);
  if (pending.length > 0 && mayBoot) return { do: 'repair', only: pending, boots: true };
  if (inspectAt !== undefined && inspectAt <= now) return { do: 'inspect' };
  return { do: 'nothing', until: inspectAt };
}

const isBroken = (step: HostStep): boolean =>
  !isOfTheHost(step) &&
  step.state !== 'Done' &&
  step.reason !== notDone.heldBack &&
  step.reason !== notDone.rebootPending;

/** Another plan is wanted than the host has. */
function bring(seen: Situation): Decision {
  const { steps, guests, bake, permission } = seen;
  if (!isBootstrapped(seen)) return { do: 'bootstrap' };
  // Steps would look for themselves; but a bake is hours of work, and what it uses stays as it is until it is over.
  if (bake !== undefined) return { do: 'wait for its turn', why: bake };
  const held = stepsFor(steps, notDone.heldBack);
  if (held.length > 0 && guests > 0) return { do: 'wait for guests to go', steps: held };
  if (held.length > 0) return whenDue(seen, held, { do: 'roll' });
  return permission.go ? { do: 'roll' } : { do: 'wait for its turn', why: permission.why };
}

/** What was held back is not tried more often than its time says. */
function whenDue({ steps, now }: Situation, held: readonly string[], decision: Decision): Decision {
  const at = timeOf(steps.find(({ reason }) => reason === notDone.heldBack)?.nextAttemptTime) ?? now;
  return at <= now ? decision : { do: 'wait for guests to go', steps: held };
}

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));

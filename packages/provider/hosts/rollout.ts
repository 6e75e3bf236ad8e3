/** A host of a fleet, as far as a rollout is concerned. */
export interface RolloutHost {
  readonly name: string;
  /** Waves of its desired, applied and failed plan. */
  readonly desired: string | undefined;
  readonly applied: string | undefined;
  readonly failed: string | undefined;
  readonly serves: boolean;
  /** A job runs or is queued. */
  readonly working: boolean;
  /** Step of the desired plan that fails at present. */
  readonly failingStep: string | undefined;
  /** Everything of the desired plan is done except steps that wait until no VM runs. */
  readonly postponed: boolean;
  /** The host responded at the last attempt. */
  readonly responds: boolean;
  readonly nodeReady: boolean;
}

export type RolloutPermission = { readonly go: true } | { readonly go: false; readonly why: string };

export interface RolloutQuestion {
  /** Hosts of the fleet, including the one that asks. */
  readonly hosts: readonly RolloutHost[];
  readonly name: string;
  /** Wave of the plan to roll out. */
  readonly wave: string;
  readonly maxUnavailable: number;
}

const GO: RolloutPermission = { go: true };
const wait = (why: string): RolloutPermission => ({ go: false, why });

/**
 * Permission to change the plan of a host in service. One host is the canary; the others follow once it has the plan and its Node is
 * Ready, `maxUnavailable` at a time, and none after one has failed. A host that already started continues. A host of the previous system
 * does not wait for the VMs of the canary, which may run for months: until its agent is replaced, it is in the care of no provider.
 */
export function rolloutPermission({ hosts, name, wave, maxUnavailable }: RolloutQuestion): RolloutPermission {
  const own = hosts.find(host => host.name === name);
  const others = hosts.filter(host => host.name !== name);
  const failed = others.find(host => host.serves && host.failed === wave);
  if (failed) return wait(`rollout halted: ${failed.name} failed with this plan`);
  const unavailable = others.filter(host => isUnavailable(host, wave));
  // Two hosts that both fail must not wait for each other.
  if (own?.failingStep === undefined) {
    const stuck = others.find(host => host.serves && host.desired === wave && host.failingStep !== undefined);
    if (stuck) return wait(`${stuck.name} is stuck at step ${stuck.failingStep}`);
    const canary = isTakenOver(own) && hosts.some(host => isProven(host, wave)) ? undefined : canaryOf(hosts, wave);
    if (canary !== undefined && canary !== name) return wait(`${canary} is updated first`);
  }
  if (unavailable.length < Math.max(1, maxUnavailable)) return GO;
  return wait(`waiting for ${unavailable.map(host => host.name).join(', ')} to become Ready`);
}

const isUnavailable = ({ working, serves, applied, nodeReady, ...host }: RolloutHost, wave: string): boolean =>
  serves && (working || ((applied === wave || (host.desired === wave && host.postponed)) && !nodeReady));

/** No plan was ever applied to the host, not even in part. */
const isTakenOver = (host: RolloutHost | undefined): boolean =>
  host?.serves === true && host.applied === undefined && !host.postponed;

/** The agent of the plan works. */
const isProven = ({ desired, postponed, nodeReady }: RolloutHost, wave: string): boolean =>
  desired === wave && postponed && nodeReady;

/** The host that gets the plan before all others; none once a host has proven the plan. */
function canaryOf(hosts: readonly RolloutHost[], wave: string): string | undefined {
  if (hosts.some(({ applied, nodeReady }) => applied === wave && nodeReady)) return undefined;
  const candidates = hosts.filter(({ desired, serves }) => serves && desired === wave);
  // A host that has just started may not have written its plan yet.
  const started =
    candidates.find(({ applied }) => applied === wave) ?? hosts.find(({ serves, working }) => serves && working);
  // A host that does not respond would block all others.
  const inOrder = candidates.toSorted(
    (one, other) => Number(other.responds) - Number(one.responds) || one.name.localeCompare(other.name),
  );
  return (started ?? inOrder[0])?.name;
}

/** A host of a fleet, as far as a roll is concerned. */
export interface FleetHost {
  readonly name: string;
  /** Waves of the plan it should have, has, and failed. */
  readonly desired: string | undefined;
  readonly applied: string | undefined;
  readonly failed: string | undefined;
  /** It was as some plan wanted it, so it serves. */
  readonly serves: boolean;
  /** A run is under way or waits for its place. */
  readonly working: boolean;
  /** The step of its desired plan that does not succeed at present. */
  readonly stuckAt: string | undefined;
  /** It was reached when it last was tried. */
  readonly answers: boolean;
  readonly nodeReady: boolean;
}

export type RollPermission = { readonly go: true } | { readonly go: false; readonly why: string };

export interface RollAsked {
  /** Of the same fleet, the one that asks included. */
  readonly hosts: readonly FleetHost[];
  readonly me: string;
  /** What is to be rolled. */
  readonly wave: string;
  readonly maxUnavailable: number;
}

const go: RollPermission = { go: true };
const wait = (why: string): RollPermission => ({ go: false, why });

/**
 * Whether a host that serves may get another plan now. One goes first; the others follow once it holds the plan and its
 * Node is Ready, so many at once, and none after one has failed. Whoever is under way with it already goes on.
 */
export function rollPermission({ hosts, me, wave, maxUnavailable }: RollAsked): RollPermission {
  const mine = hosts.find(({ name }) => name === me);
  const others = hosts.filter(({ name }) => name !== me);
  const failed = others.find(host => host.serves && host.failed === wave);
  if (failed) return wait(`rollout halted: ${failed.name} failed with this plan`);
  const busy = others.filter(host => isAway(host, wave));
  const places = Math.max(1, maxUnavailable);
  // Each would wait for the other if two were stuck.
  if (mine?.stuckAt === undefined) {
    const stuck = others.find(host => host.serves && host.desired === wave && host.stuckAt !== undefined);
    if (stuck) return wait(`${stuck.name} is stuck at step ${stuck.stuckAt}`);
    const first = leader(hosts, wave);
    if (first !== undefined && first !== me) return wait(`${first} is updated first`);
  }
  return busy.length < places ? go : wait(`waiting for ${busy.map(({ name }) => name).join(', ')} to become Ready`);
}

/** Being rolled, or rolled and not back yet. */
const isAway = ({ working, serves, applied, nodeReady }: FleetHost, wave: string): boolean =>
  serves && (working || (applied === wave && !nodeReady));

/** Who tries the plan before all others; nobody once one has proven it. */
function leader(hosts: readonly FleetHost[], wave: string): string | undefined {
  if (hosts.some(({ applied, nodeReady }) => applied === wave && nodeReady)) return undefined;
  const candidates = hosts.filter(({ desired, serves }) => serves && desired === wave);
  // Who has just begun may not have written down with what.
  const ahead =
    candidates.find(({ applied }) => applied === wave) ?? hosts.find(({ serves, working }) => serves && working);
  // One that cannot be reached would keep all others waiting.
  const inOrder = candidates.toSorted(
    (one, other) => Number(other.answers) - Number(one.answers) || one.name.localeCompare(other.name),
  );
  return (ahead ?? inOrder[0])?.name;
}

/** A pool that wants runners on Macs that others want, too. */
export interface Claimant {
  readonly key: string;
  /** Jobs there are: their runners are given in full. */
  readonly load: number;
  readonly floor: number;
  /** What it would have alone. */
  readonly target: number;
}

/**
 * Divides the VM slots of a fleet among its pools. Jobs first, even beyond what there is: their Pods stay Pending, which says that
 * a host is missing. Then the floors, then what the last hour suggests; of what does not suffice for all, each pool has its
 * share, and no slot is left over.
 */
export function allocate(pools: readonly Claimant[], slots: number): ReadonlyMap<string, number> {
  const wants = pools.map(wantsOf);
  const loads = wants.map(({ load }) => load);
  const afterLoads = Math.max(0, slots - sum(loads));
  const floors = shareOut(
    wants.map(({ floor }) => floor),
    afterLoads,
  );
  const spares = shareOut(
    wants.map(({ spare }) => spare),
    afterLoads - sum(floors),
  );
  return new Map(
    pools.map(({ key }, index) => [key, (loads[index] ?? 0) + (floors[index] ?? 0) + (spares[index] ?? 0)]),
  );
}

/** The three parts of a target, each on top of the one before. */
function wantsOf({ load, floor, target }: Claimant): { load: number; floor: number; spare: number } {
  const first = Math.min(load, target);
  const second = Math.min(Math.max(floor, first), target);
  return { load: first, floor: second - first, spare: target - second };
}

/** In proportion to the wants. What rounding leaves goes to those who lost most by it, so that no slot stays empty. */
function shareOut(wants: readonly number[], slots: number): readonly number[] {
  const total = sum(wants);
  if (total <= slots) return wants;
  const exact = wants.map(want => (want * slots) / total);
  const left = slots - sum(exact.map(Math.floor));
  const byLoss = exact
    .map((share, index) => ({ index, loss: share - Math.floor(share) }))
    // Of two that lost the same the first one has it, each time anew: a slot that went to and fro would serve nobody.
    .toSorted((one, other) => other.loss - one.loss || one.index - other.index);
  const lucky = new Set(byLoss.slice(0, left).map(({ index }) => index));
  return exact.map((share, index) => Math.floor(share) + (lucky.has(index) ? 1 : 0));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

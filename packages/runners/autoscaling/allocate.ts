/** A pool that competes with others for the same Macs. */
export interface Claimant {
  readonly key: string;
  /** Current jobs; their runners are allocated in full. */
  readonly load: number;
  readonly floor: number;
  /** Replicas it would get without other pools. */
  readonly target: number;
}

/**
 * Divides the VM slots of a fleet among its pools. Jobs come first, even beyond the capacity: their Pods stay Pending,
 * which shows that a host is missing. Then the floors, then the demand of the last hour. If slots are short, each pool
 * gets a proportional share and no slot is left over.
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

/** Splits a target into three layers. */
function wantsOf({ load, floor, target }: Claimant): { load: number; floor: number; spare: number } {
  const first = Math.min(load, target);
  const second = Math.min(Math.max(floor, first), target);
  return { load: first, floor: second - first, spare: target - second };
}

/**
 * Distributes slots in proportion to the demands. Slots left by rounding go to the pools with the largest remainders,
 * so that none stays empty.
 */
function shareOut(wants: readonly number[], slots: number): readonly number[] {
  const total = sum(wants);
  if (total <= slots) return wants;
  const exact = wants.map(want => (want * slots) / total);
  const left = slots - sum(exact.map(Math.floor));
  const byLoss = exact
    .map((share, index) => ({ index, loss: share - Math.floor(share) }))
    // On a tie the first pool wins every time: a slot that alternates between pools would serve none.
    .toSorted((one, other) => other.loss - one.loss || one.index - other.index);
  const lucky = new Set(byLoss.slice(0, left).map(({ index }) => index));
  return exact.map((share, index) => Math.floor(share) + (lucky.has(index) ? 1 : 0));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

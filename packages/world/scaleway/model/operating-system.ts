/** An image the vendor installs. `family` is a name in reality (`Tahoe`), though the SDK documents a number (facts §5). */
export interface OperatingSystem {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly family: string;
  readonly version: string;
  readonly xcodeVersion: string;
  readonly beta: boolean;
  readonly tags: readonly string[];
  /** Server types it boots on. */
  readonly serverTypes: readonly string[];
}

/** Newest version first, a beta after every finished one: compares dotted versions number by number. */
export function newestFirst(one: OperatingSystem, other: OperatingSystem): number {
  if (one.beta !== other.beta) return one.beta ? 1 : -1;
  const [left, right] = [numbers(one.version), numbers(other.version)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (right[index] ?? 0) - (left[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const numbers = (version: string): number[] => version.split('.').map(part => Number.parseInt(part, 10) || 0);

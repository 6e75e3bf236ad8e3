/** A model of Mac that can be ordered, and how many are left. */
export interface ServerType {
  readonly name: string;
  readonly cpu: { readonly name: string; readonly cores: number; readonly frequency: number };
  readonly diskBytes: number;
  readonly memory: { readonly bytes: number; readonly type: string };
  readonly gpus: number;
  readonly bandwidths: readonly number[];
  /** Name of the image it gets when none is asked for; it moves on as the vendor publishes and retires. */
  readonly defaultImage: string;
  /** Machines on the shelf. */
  readonly units: number;
  /** Euro an hour. */
  readonly hourlyPrice: number;
}

export type Stock = 'no_stock' | 'low_stock' | 'high_stock';

/** Where "low" ends is the vendor's secret; five is a guess. */
const LOW = 5;

export function stockOf(type: ServerType): Stock {
  if (type.units <= 0) return 'no_stock';
  return type.units <= LOW ? 'low_stock' : 'high_stock';
}

/** Images and server types that can be ordered and installed now. Immutable: each change returns a new catalogue. */
export interface Catalogue {
  readonly images: readonly OperatingSystem[];
  readonly serverTypes: readonly ServerType[];
}

export const findImage = (catalogue: Catalogue, id: string): OperatingSystem | undefined =>
  catalogue.images.find(image => image.id === id);

export const findServerType = (catalogue: Catalogue, name: string): ServerType | undefined =>
  catalogue.serverTypes.find(type => type.name === name);

/** Returns the image that a server of the type gets when the order names none. */
export function defaultImage(catalogue: Catalogue, type: ServerType): OperatingSystem | undefined {
  return catalogue.images.find(image => image.name === type.defaultImage) ?? newestFor(catalogue, type.name);
}

/**
 * Retires an exact image: it disappears from lists and cannot be installed again, while hosts that run it keep showing
 * it. Types with this default move to their newest image (Aug 2026: macos-tahoe-26.3, facts §5).
 */
export function retireImage(catalogue: Catalogue, name: string): Catalogue {
  if (!catalogue.images.some(image => image.name === name))
    throw new Error(`simulated Scaleway: unknown image ${name}`);
  const remaining = { ...catalogue, images: catalogue.images.filter(image => image.name !== name) };
  return {
    ...remaining,
    serverTypes: catalogue.serverTypes.map(type =>
      type.defaultImage === name
        ? { ...type, defaultImage: newestFor(remaining, type.name)?.name ?? type.defaultImage }
        : type,
    ),
  };
}

/** Publishes an image, and makes it the default of the types in `defaultFor`. */
export function publishImage(
  catalogue: Catalogue,
  image: OperatingSystem,
  defaultFor: readonly string[] = [],
): Catalogue {
  return {
    images: [...catalogue.images.filter(known => known.name !== image.name), image],
    serverTypes: catalogue.serverTypes.map(type =>
      defaultFor.includes(type.name) ? { ...type, defaultImage: image.name } : type,
    ),
  };
}

export function changeStock(catalogue: Catalogue, name: string, units: (before: number) => number): Catalogue {
  return {
    ...catalogue,
    serverTypes: catalogue.serverTypes.map(type =>
      type.name === name ? { ...type, units: Math.max(0, units(type.units)) } : type,
    ),
  };
}

const newestFor = (catalogue: Catalogue, type: string): OperatingSystem | undefined =>
  catalogue.images.filter(image => image.serverTypes.includes(type)).sort(newestFirst)[0];

/** A Mac model that can be ordered, and its stock. */
export interface ServerType {
  readonly name: string;
  readonly cpu: { readonly name: string; readonly cores: number; readonly frequency: number };
  readonly diskBytes: number;
  readonly memory: { readonly bytes: number; readonly type: string };
  readonly gpus: number;
  readonly bandwidths: readonly number[];
  /** Name of the image installed when the order names none. It changes when the vendor publishes and retires images. */
  readonly defaultImage: string;
  /** Machines in stock. */
  readonly units: number;
  /** Euros per hour. */
  readonly hourlyPrice: number;
}

type Stock = 'no_stock' | 'low_stock' | 'high_stock';

/** The vendor does not publish the limit of "low"; five is a guess. */
const LOW = 5;

export function stockOf(type: ServerType): Stock {
  if (type.units <= 0) return 'no_stock';
  return type.units <= LOW ? 'low_stock' : 'high_stock';
}

/** An image that the vendor installs. The real `family` is a name (`Tahoe`), although the SDK documents a number (facts §5). */
export interface OperatingSystem {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly family: string;
  readonly version: string;
  readonly xcodeVersion: string;
  readonly beta: boolean;
  readonly tags: readonly string[];
  /** Server types that can boot it. */
  readonly serverTypes: readonly string[];
}

/** Compares dotted versions number by number, newest first. A beta sorts after every release. */
function newestFirst(one: OperatingSystem, other: OperatingSystem): number {
  if (one.beta !== other.beta) return one.beta ? 1 : -1;
  const [left, right] = [numbers(one.version), numbers(other.version)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (right[index] ?? 0) - (left[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const numbers = (version: string): number[] => version.split('.').map(part => Number.parseInt(part, 10) || 0);

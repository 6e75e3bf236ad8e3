import { newestFirst, type OperatingSystem } from './operating-system.ts';
import type { ServerType } from './server-type.ts';

/** What can be ordered and installed today. Values, never changed in place: each change gives a new catalogue. */
export interface Catalogue {
  readonly images: readonly OperatingSystem[];
  readonly serverTypes: readonly ServerType[];
}

export const findImage = (catalogue: Catalogue, id: string): OperatingSystem | undefined =>
  catalogue.images.find(image => image.id === id);

export const findServerType = (catalogue: Catalogue, name: string): ServerType | undefined =>
  catalogue.serverTypes.find(type => type.name === name);

/** The image a machine of the type gets when none is asked for. */
export function defaultImage(catalogue: Catalogue, type: ServerType): OperatingSystem | undefined {
  return catalogue.images.find(image => image.name === type.defaultImage) ?? newestFor(catalogue, type.name);
}

/**
 * The vendor withdraws an exact image: it is gone from lists and cannot be installed again, while hosts that run it go
 * on to show it. Types whose default it was move to the newest image they boot (Aug 2026: macos-tahoe-26.3, facts §5).
 */
export function retireImage(catalogue: Catalogue, name: string): Catalogue {
  if (!catalogue.images.some(image => image.name === name)) throw new Error(`the catalogue has no image ${name}`);
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

/** A new image appears; types named in `defaultFor` install it from now on when none is asked for. */
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

import { parseMacosImage } from './macos-image-name.ts';
import { compareMacosVersions } from './macos-version.ts';

/** An image the vendor offers now for one server type. */
export interface OfferedImage {
  name: string;
  /** The vendor's own word for the family. Documented as a number, seen as a name: a hint beside the name. */
  family?: string;
  beta?: boolean;
}

export interface ImageChoice {
  /** Absent when the vendor offers nothing of the family. */
  image?: OfferedImage;
  fellBackToFamily: boolean;
  /** For the condition OSImageCurrent. */
  sentence: string;
}

/**
 * Chooses the image for a host: the wanted one while the vendor offers it, else the newest of its family (I31).
 * The catalogue must be fresh: a retired image in a cached one would be chosen and then refused.
 */
export function chooseImage(wanted: string, catalogue: readonly OfferedImage[]): ImageChoice {
  const { family, version } = parseMacosImage(wanted);
  const exact = catalogue.find(image => version !== undefined && sameImage(image.name, wanted));
  if (exact) return { image: exact, fellBackToFamily: false, sentence: `${exact.name} is offered by the vendor` };
  const newest = newestOf(catalogue.filter(image => isOfFamily(image, wanted)));
  if (!newest) return { fellBackToFamily: false, sentence: nothingOffered(family, catalogue) };
  if (version === undefined) {
    return {
      image: newest,
      fellBackToFamily: false,
      sentence: `${newest.name} is the newest image of family ${wanted}`,
    };
  }
  const sentence = `${wanted} is no longer offered by the vendor: using ${newest.name}, the newest image of its family; write os: ${titled(family)} to follow the family`;
  return { image: newest, fellBackToFamily: true, sentence };
}

/** Whether a host's image is of the family of `wanted`. `devos-tahoe-26.3` is not of Tahoe. */
export function isOfFamily(image: OfferedImage, wanted: string): boolean {
  const { family } = parseMacosImage(wanted);
  if (parseMacosImage(image.name).family === family) return true;
  return image.family !== undefined && parseMacosImage(image.family).family === family;
}

function sameImage(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** A beta is chosen only when there is nothing else. */
function newestOf(images: readonly OfferedImage[]): OfferedImage | undefined {
  const finished = images.filter(image => !isBeta(image));
  const candidates = finished.length > 0 ? finished : images;
  return candidates.toSorted((a, b) => compareMacosVersions(versionOf(b), versionOf(a)))[0];
}

function isBeta(image: OfferedImage): boolean {
  return image.beta ?? /beta|rc/i.test(versionOf(image));
}

function versionOf(image: OfferedImage): string {
  return parseMacosImage(image.name).version ?? '0';
}

function nothingOffered(family: string, catalogue: readonly OfferedImage[]): string {
  const families = [...new Set(catalogue.map(image => titled(parseMacosImage(image.name).family)))].toSorted();
  const offer = families.length === 0 ? 'nothing for this server type' : families.join(', ');
  return `the vendor offers no image of family ${titled(family)}; it offers ${offer}: write one of these in os`;
}

function titled(family: string): string {
  return family.charAt(0).toUpperCase() + family.slice(1);
}

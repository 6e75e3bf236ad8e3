import { z } from 'zod';
import { celPattern, withRules } from '../schema/rule.ts';

const nameOrFamily = /^[A-Za-z]+([ _-][A-Za-z]+)*(-[0-9][0-9A-Za-z.-]*)?$/;
/** `macos` alone and `macos-26.3` contain no family, so no image could match. */
const withoutFamily = /^[Mm][Aa][Cc][Oo][Ss](-[0-9].*)?$/;

/** `spec.os`: an exact image or a family. */
export const macosImageName = withRules(z.string().max(64), [
  {
    cel: `self.matches(${celPattern(nameOrFamily)}) && !self.matches(${celPattern(withoutFamily)})`,
    message: 'os must be an image name such as macos-tahoe-26.3 or a family such as Tahoe',
    check: self => nameOrFamily.test(self) && !withoutFamily.test(self),
    accepts: ['macos-tahoe-26.3', 'Tahoe', 'macos-golden-gate-27.0', 'Golden Gate', 'macos-tahoe-26.7-beta'],
    rejects: ['26.3', 'macos-26.3', 'macOS', 'Tahoe 26.3', 'ghcr.io/cirruslabs/macos-tahoe-base:latest', ''],
  },
]);

interface MacosImageName {
  /** Normalized key: two names mean the same family if and only if their keys are equal. */
  family: string;
  /** Version of an exact name; absent for a family. */
  version?: string;
}

/** Reads an image name or a family. `macos-golden-gate-27.0` and `Golden Gate` have the family `goldengate`; `DevOS` is its own. */
export function parseMacosImage(name: string): MacosImageName {
  const bare = name.toLowerCase().replace(/^macos[-_ ]/, '');
  const [, letters = bare, version] = /^(.*?)-([0-9].*)$/.exec(bare) ?? [];
  const family = letters.replaceAll(/[ _-]/g, '');
  return version === undefined ? { family } : { family, version };
}

/** An image the vendor offers now for one server type. */
export interface OfferedImage {
  name: string;
  /** Family as the vendor reports it. Documented as a number, observed as a name: a hint in addition to the name. */
  family?: string;
  beta?: boolean;
}

interface ImageChoice {
  /** Absent if the vendor offers no image of the family. */
  image?: OfferedImage;
  fellBackToFamily: boolean;
  /** Message for the condition OSImageCurrent. */
  sentence: string;
}

/**
 * Chooses the image for a host: the requested one while the vendor offers it, else the newest of its family (I31).
 * The catalogue must be fresh: a retired image in a cached catalogue would be chosen and then rejected.
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
  const sentence = `${wanted} is no longer offered by the vendor; using ${newest.name}, the newest image of its family. Set os: ${titled(family)} to follow the family`;
  return { image: newest, fellBackToFamily: true, sentence };
}

/** True if an image belongs to the family of `requested`. `devos-tahoe-26.3` does not belong to Tahoe. */
export function isOfFamily(image: OfferedImage, wanted: string): boolean {
  const { family } = parseMacosImage(wanted);
  if (parseMacosImage(image.name).family === family) return true;
  return image.family !== undefined && parseMacosImage(image.family).family === family;
}

function sameImage(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Chooses a beta only if there is no release. */
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
  return `the vendor offers no image of family ${titled(family)}; it offers ${offer}. Set os to one of these`;
}

function titled(family: string): string {
  return family.charAt(0).toUpperCase() + family.slice(1);
}

/** Orders versions by their dotted parts, oldest first. A part with a suffix comes before the bare one: 26.7-beta, then 26.7. */
export function compareMacosVersions(a: string, b: string): number {
  const left = a.split('.');
  const right = b.split('.');
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const order = compareParts(left[index] ?? '0', right[index] ?? '0');
    if (order !== 0) return order;
  }
  return 0;
}

function compareParts(a: string, b: string): number {
  const byNumber = numberOf(a) - numberOf(b);
  if (byNumber !== 0) return byNumber;
  const [suffixA, suffixB] = [suffixOf(a), suffixOf(b)];
  if (suffixA === suffixB) return 0;
  if (suffixA === '') return 1;
  if (suffixB === '') return -1;
  return suffixA < suffixB ? -1 : 1;
}

function numberOf(part: string): number {
  return Number.parseInt(part, 10) || 0;
}

function suffixOf(part: string): string {
  return part.replace(/^[0-9]*/, '');
}

import { z } from 'zod';
import { celPattern, withRules } from '../schema/rule.ts';

const nameOrFamily = /^[A-Za-z]+([ _-][A-Za-z]+)*(-[0-9][0-9A-Za-z.-]*)?$/;
/** `macos` alone and `macos-26.3` have no family in them, so nothing could ever match. */
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

export interface MacosImageName {
  /** Spelling-free key: two names mean one family exactly when their keys are equal. */
  family: string;
  /** The version in an exact name; absent in a family. */
  version?: string;
}

/** Reads an image name or a family. `macos-golden-gate-27.0` and `Golden Gate` have the family `goldengate`; `DevOS` is its own. */
export function parseMacosImage(name: string): MacosImageName {
  const bare = name.toLowerCase().replace(/^macos[-_ ]/, '');
  const [, letters = bare, version] = /^(.*?)-([0-9].*)$/.exec(bare) ?? [];
  const family = letters.replaceAll(/[ _-]/g, '');
  return version === undefined ? { family } : { family, version };
}

import type { MacPart } from '../mac-part.ts';
import { codesign } from './codesign.ts';
import { codeSigningOf, refuse } from './kernel-check.ts';

/** Code signing: the kernel's check at every start of a program, and codesign. */
export const codeSigningPart: MacPart = mac => {
  // The cache is the kernel's own and lives in memory.
  mac.onBoot(() => codeSigningOf(mac).seen.clear());
  return { programs: { '/usr/bin/codesign': codesign }, refuse: file => refuse(mac, file) };
};

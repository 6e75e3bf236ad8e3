import type { MacPart } from '../mac-part.ts';
import { diskutil } from './diskutil.ts';

/** The disk as diskutil sees it. */
export const diskPart: MacPart = () => ({ programs: { '/usr/sbin/diskutil': diskutil } });

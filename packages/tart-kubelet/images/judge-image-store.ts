import { type Finding, fails, holds } from '../node/finding.ts';
import { type DiskSpace, usedPercent } from './disk-account.ts';

/** Beyond it no image fits any more; the collector works from 85 on, so it has nothing left to remove here. */
const FULL_PERCENT = 95;

/** For the Node's condition `ImageStoreHealthy`: whether images can be read, and another one could be kept. */
export function judgeImageStore(readable: boolean, space: DiskSpace): Finding {
  if (!readable) return fails('ImagesUnreadable', 'Tart cannot list the images of this host');
  if (usedPercent(space) >= FULL_PERCENT) {
    return fails('OutOfSpace', 'the volume of the images is full and nothing of ours is left to remove; free some');
  }
  return holds('ImagesReadable', 'images can be listed and there is room for more');
}

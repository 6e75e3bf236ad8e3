import { type Finding, fails } from '../node/finding.ts';
import { type DiskAccount, usedPercent } from './disk-account.ts';

/** Beyond it no image fits any more; the collector works from 85 on, so it has found nothing to remove. */
const FULL_PERCENT = 95;
/** Taken back below this only: at the edge it would flap with every log line. */
const ROOM_PERCENT = 93;

/**
 * For the Node's condition `ImageStoreHealthy`: whether images can be listed, and another one could be kept beside those
 * that are on their way. An account that is missing says nothing against it.
 */
export function judgeImageStore(listed: Finding, account: DiskAccount | undefined, wasFull: boolean): Finding {
  if (listed.status !== 'True' || !account) return listed;
  const used = usedPercent({ ...account, freeBytes: account.freeBytes - account.promisedBytes });
  if (used < (wasFull ? ROOM_PERCENT : FULL_PERCENT)) return listed;
  return fails('OutOfSpace', 'no room for another image on the volume, with the pulls under way counted in; free some');
}

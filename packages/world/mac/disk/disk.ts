import type { Mac } from '../mac.ts';
import { root } from '../user.ts';

/** An APFS volume of the Mac's one container. */
export interface Volume {
  readonly device: string;
  readonly name: string;
  readonly mount: string;
  /** Bytes it may hold at most; 0 is no limit. Not enforced on writes: its files share the Mac's space. */
  readonly quota: number;
  owners: boolean;
}

interface Disk {
  readonly volumes: Volume[];
}

export const CONTAINER = 'disk3';
const KEY = Symbol('disk');

export const diskOf = (mac: Mac): Disk =>
  mac.state(KEY, () => ({
    volumes: [
      { device: 'disk3s1s1', name: 'Macintosh HD', mount: '/', quota: 0, owners: true },
      { device: 'disk3s5', name: 'Data', mount: '/System/Volumes/Data', quota: 0, owners: true },
    ],
  }));

/** By mount point, device or name, as diskutil takes them. */
export const findVolume = (mac: Mac, text: string): Volume | undefined => {
  const wanted = text.replace(/^\/dev\//, '');
  return diskOf(mac).volumes.find(({ mount, device, name }) => mount === text || device === wanted || name === text);
};

/**
 * A new volume is mounted at once below /Volumes, and its root belongs to root: who forgets to change that makes every
 * job cold (facts §3.8). Owners are ignored until enabled (derived).
 */
export function addVolume(mac: Mac, name: string, quota: number): Volume {
  const { volumes } = diskOf(mac);
  const volume = {
    device: `${CONTAINER}s${volumes.length + 5}`,
    name,
    mount: `/Volumes/${name}`,
    quota,
    owners: false,
  };
  volumes.push(volume);
  mac.files.makeDirectory(root, volume.mount, { parents: true });
  mac.around.journal.add(`mac/${mac.options.name}`, 'volume', `${name} ${quota}`);
  return volume;
}

/** Takes space as logs and images of the system do, until so many bytes are free. */
export function fillDisk(mac: Mac, leaveFree: number): void {
  mac.files.reserve(mac.files.space.free - leaveFree);
}

import { createHash } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '@minifleet/kube';
import type { Share } from '../../guests/guest.ts';
import { type VolumeFile, writeAtomicVolume } from './atomic-volume.ts';
import { createKeptTokens } from './service-account-tokens.ts';
import { type ContentOf, readVolume } from './volume-content.ts';

type Volume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];

/** The error of one volume, with its name: for the event a person looks for. */
export class VolumeFailure extends Error {
  override readonly name = 'VolumeFailure';
  readonly volume: string;

  constructor(volume: string, cause: unknown) {
    super(`volume "${volume}": ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.volume = volume;
  }
}

/** The volumes of one Pod below one directory; safe to write again and again, nothing changes that is the same. */
export interface PodVolumes {
  /** Makes every volume what it should be now, and gives the shares that show them to the guest. */
  write(of: ContentOf): Promise<readonly Share[]>;
  /** When a token has to be renewed. */
  readonly staleAt: number | undefined;
}

export function createPodVolumes(directory: string): PodVolumes {
  const kept = createKeptTokens();
  const written = new Map<string, string>();
  let staleAt: number | undefined;

  async function writeOne(of: ContentOf, volume: Volume): Promise<number | undefined> {
    const at = path.join(directory, volume.name);
    if (volume.emptyDir) return makeEmpty(at);
    const content = await readVolume({ ...of, kept }, volume);
    const version = fingerprint(content.files);
    if (written.get(volume.name) !== version) await writeAtomicVolume(at, content.files, `${of.now}_${version}`);
    written.set(volume.name, version);
    return content.staleAt;
  }

  return {
    async write(of) {
      const shares: Share[] = [];
      const stale: number[] = [];
      for (const volume of of.pod.spec?.volumes ?? []) {
        try {
          stale.push((await writeOne(of, volume)) ?? Number.POSITIVE_INFINITY);
        } catch (error) {
          throw new VolumeFailure(volume.name, error);
        }
        shares.push({
          name: volume.name,
          path: path.join(directory, volume.name),
          readOnly: isReadOnly(of.pod, volume),
        });
      }
      const first = Math.min(...stale);
      staleAt = Number.isFinite(first) ? first : undefined;
      return shares;
    },
    get staleAt() {
      return staleAt;
    },
  };
}

/** The guest's user is not the host's: a folder for everybody, below one only the agent may enter. */
async function makeEmpty(directory: string): Promise<undefined> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o777);
}

/** Only an emptyDir is ever the guest's to write: in the others a link of the guest's would lead our own writes astray. */
function isReadOnly({ spec }: Pod, { name, emptyDir }: Volume): boolean {
  const mounts = (spec?.containers[0]?.volumeMounts ?? []).filter(mount => mount.name === name);
  return emptyDir === undefined || (mounts.length > 0 && mounts.every(({ readOnly }) => readOnly));
}

function fingerprint(files: readonly VolumeFile[]): string {
  const hash = createHash('sha256');
  for (const { path: file, content, mode } of files) {
    hash.update(`${file}\0${mode}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 12);
}

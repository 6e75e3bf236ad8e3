import { createHash } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '@minifleet/kube';
import type { Share } from '../../guests/guest.ts';
import { type VolumeFile, writeAtomicVolume } from './atomic-volume.ts';
import { createTokenCache } from './service-account-tokens.ts';
import { readVolume, type VolumeContentInput } from './volume-content.ts';

type PodVolume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];

/** The error of one volume, with its name, for the FailedMount event. */
export class VolumeFailure extends Error {
  override readonly name = 'VolumeFailure';
  readonly volume: string;

  constructor(volume: string, cause: unknown) {
    super(`volume "${volume}": ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.volume = volume;
  }
}

/** Volumes of one Pod below one directory. Idempotent: unchanged content is not rewritten. */
export interface PodVolumes {
  /** Brings every volume up to date and returns the shares for the guest. */
  write(of: VolumeContentInput): Promise<readonly Share[]>;
  /** Time at which a token must be renewed. */
  readonly staleAt: number | undefined;
}

export function createPodVolumes(directory: string): PodVolumes {
  const tokenCache = createTokenCache();
  const written = new Map<string, string>();
  let staleAt: number | undefined;

  async function writeOne(of: VolumeContentInput, volume: PodVolume): Promise<number | undefined> {
    const at = path.join(directory, volume.name);
    if (volume.emptyDir) return makeEmpty(at);
    const content = await readVolume({ ...of, tokenCache }, volume);
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

/** World-writable because the guest's user is not the host's; the parent folder is accessible only to the agent. */
async function makeEmpty(directory: string): Promise<undefined> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o777);
}

/**
 * Only an emptyDir may be writable: in other volumes, a link created by the guest could redirect the agent's own
 * writes.
 */
function isReadOnly({ spec }: Pod, { name, emptyDir }: PodVolume): boolean {
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

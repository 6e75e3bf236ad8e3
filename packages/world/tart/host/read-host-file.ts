import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GuestBehaviour, HostFile } from './host-file.ts';

/** Without the file everything works quickly. A half-written file is read again at the next call; this one keeps the last. */
export function hostReader(directory: string): () => HostFile {
  let last: HostFile = {};
  return () => {
    try {
      last = JSON.parse(readFileSync(join(directory, 'host.json'), 'utf8')) as HostFile;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') last = {};
    }
    return last;
  };
}

/** The name wins over the image (full name first, then repository), and both over the default. */
export function behaviourOf(host: HostFile, name: string, image: string | undefined): GuestBehaviour {
  const byImage = host.guests?.byImage ?? {};
  const repository = image?.replace(/(@sha256:[0-9a-f]+|:[^/:]+)$/, '');
  return {
    ...host.guests?.default,
    ...(repository === undefined ? {} : byImage[repository]),
    ...(image === undefined ? {} : byImage[image]),
    ...host.guests?.byName?.[name],
  };
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machO, tartArchive } from '@minifleet/world/mac';

const TART = '2.32.1';

export interface FleetFile {
  readonly path: string;
  /** Rewrites the file. A provider reads it when it starts. */
  write(agent?: { readonly hostCpu?: number }, more?: object): Promise<void>;
}

/** Writes the desired state of all hosts. The agent's binary is a placeholder: the launchd of a Mac runs an executable of this machine instead. */
export async function createFleetFile(directory: string): Promise<FleetFile> {
  const folder = join(directory, 'artifacts');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tart.tar.gz'), tartArchive(TART));
  await writeFile(join(folder, 'tart-kubelet'), machO('tart-kubelet'));
  const path = join(folder, 'fleet.yaml');
  const file: FleetFile = {
    path,
    write: (agent = {}, more = {}) =>
      writeFile(
        path,
        JSON.stringify({
          tart: { version: TART, archive: 'tart.tar.gz' },
          agent: { binary: 'tart-kubelet', ...agent },
          localNetwork: false,
          ...more,
        }),
      ),
  };
  await file.write();
  return file;
}

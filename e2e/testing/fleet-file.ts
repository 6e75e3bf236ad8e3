import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localFleetFile, writeHostFiles } from '@minifleet/dev/testing/up';

export interface FleetFile {
  readonly path: string;
  /** Rewrites the file. A provider reads it when it starts. */
  write(agent?: { readonly hostCpu?: number }): Promise<void>;
}

/**
 * Writes the desired state of all hosts, as `minifleet up` does. The agent's binary is a placeholder: the launchd of a Mac runs an
 * executable of this machine instead.
 */
export async function createFleetFile(directory: string): Promise<FleetFile> {
  const folder = join(directory, 'artifacts');
  await writeHostFiles(folder);
  const path = join(folder, 'fleet.yaml');
  const { agent: usual, ...hosts } = localFleetFile();
  const write = (agent = {}): Promise<void> =>
    writeFile(path, JSON.stringify({ ...hosts, agent: { ...usual, ...agent }, localNetwork: false }));
  await write();
  return { path, write };
}

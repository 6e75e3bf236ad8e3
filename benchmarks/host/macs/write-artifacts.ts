import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machO, tartArchive } from '@minifleet/world/mac';
import type { ArtifactPaths } from './calls.ts';

const TART = '2.32.1';

/** Approximate size of the node agent. */
export const LARGE_MEGABYTES = 60;

/** Writes the artifacts to files, so that the caller need not load the world. */
export async function writeArtifacts(directory: string): Promise<ArtifactPaths> {
  const write = async (name: string, content: Buffer): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };
  return {
    tart: { version: TART, archive: await write('tart.tar.gz', tartArchive(TART)) },
    agent: await write('agent', machO('one')),
    nextAgent: await write('next-agent', machO('two')),
    largeAgent: await write('large-agent', machO(''.padEnd(LARGE_MEGABYTES * 1_000_000, 'minifleet '))),
  };
}

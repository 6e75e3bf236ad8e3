import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinaries, type LocalCluster, type Reporter } from '@minifleet/local-cluster';

const TOOLS = ['kubectl', 'clusterctl', 'helm'] as const;

/** A folder for PATH in which the tools that fit the cluster bear their plain names. It goes when the cluster goes. */
export async function linkTools(cluster: LocalCluster, reporter: Reporter): Promise<string> {
  const found = await findBinaries({ programs: TOOLS, reporter });
  const directory = join(cluster.directory, 'bin');
  await mkdir(directory);
  await Promise.all(TOOLS.map(name => symlink(found[name], join(directory, name))));
  return directory;
}

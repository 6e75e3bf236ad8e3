import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinaries, type Reporter } from '@minifleet/local-cluster';
import type { Home } from './home.ts';

const TOOLS = ['kubectl', 'clusterctl', 'helm'] as const;
/** The second is how kubectl finds its plugin. */
const OURS = ['minifleet', 'kubectl-minifleet'] as const;
const MAIN = fileURLToPath(new URL('../../minifleet.js', import.meta.url));

/** A folder for PATH in which the tools that fit the cluster, and we ourselves, bear plain names. It goes when we do. */
export async function linkTools(home: Home, reporter: Reporter): Promise<string> {
  const found = await findBinaries({ programs: TOOLS, reporter });
  const directory = join(home.directory, 'bin');
  await mkdir(directory);
  await Promise.all([
    ...TOOLS.map(name => symlink(found[name], join(directory, name))),
    ...OURS.map(name => writeOurs(directory, name)),
  ]);
  return directory;
}

/** With the Node we run on, whatever the caller's PATH has; it tells by the name of its file how it is called. */
async function writeOurs(directory: string, name: string): Promise<void> {
  const program = join(directory, `.${name}`, name);
  await mkdir(dirname(program));
  await symlink(MAIN, program);
  const file = join(directory, name);
  await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(file, 0o755);
}

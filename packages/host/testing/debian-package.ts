/** Programs that the machine lacks, from Debian's packages unpacked into a folder: nothing is installed. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Unpacked {
  /** Root directory of the unpacked package. */
  readonly root: string;
  /** Environment in which its programs find the bundled libraries. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Downloads the packages once and keeps them in the user's cache. Rejects with the reason if they could not be downloaded. */
export async function unpackDebian(name: string, packages: readonly string[]): Promise<Unpacked> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'minifleet', name);
  if (!existsSync(cache)) await fetchInto(cache, packages);
  return { root: cache, environment: { LD_LIBRARY_PATH: await libraries(cache) } };
}

async function fetchInto(cache: string, packages: readonly string[]): Promise<void> {
  const half = `${cache}.${process.pid}`;
  await mkdir(join(half, 'root'), { recursive: true });
  try {
    await download(half, packages);
    const archives = (await readdir(half)).filter(file => file.endsWith('.deb'));
    for (const archive of archives) await run('dpkg', ['-x', join(half, archive), join(half, 'root')]);
    // Two tests may fetch at once: the first to finish wins, the other uses what it finds.
    await rename(join(half, 'root'), cache).catch((error: unknown) => {
      if (!existsSync(cache)) throw error;
    });
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}

/** The lists on the machine may be old or missing: only then are they fetched. */
async function download(folder: string, packages: readonly string[]): Promise<void> {
  const fetchAll = () => run('apt-get', ['download', ...packages], { cwd: folder, timeout: 120_000 });
  await fetchAll().catch(async () => {
    await run('apt-get', ['update', '-qq'], { timeout: 120_000 });
    await fetchAll();
  });
}

async function libraries(root: string): Promise<string> {
  const folders = ['lib', 'usr/lib'].map(folder => join(root, folder)).filter(existsSync);
  const platforms = await Promise.all(
    folders.map(async folder =>
      (await readdir(folder)).filter(name => name.endsWith('-linux-gnu')).map(name => join(folder, name)),
    ),
  );
  return platforms.flat().join(':');
}

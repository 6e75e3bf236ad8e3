import { chmod, lstat, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

const DATA = '..data';

/**
 * Replaces the files of a volume atomically, as kubelet does: the files are in a separate folder, `..data` links to
 * that folder, every visible name links through `..data`, and replacing that one link switches all files.
 * Only for shares that are read-only in the guest, because links are followed here.
 */
export async function writeAtomicVolume(
  directory: string,
  files: readonly VolumeFile[],
  version: string,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o755 });
  const before = await readlink(path.join(directory, DATA)).catch(() => undefined);
  const folder = `..${version}`;
  await rm(path.join(directory, folder), { recursive: true, force: true });
  await mkdir(path.join(directory, folder), { mode: 0o755 });
  for (const file of files) await writeOne(path.join(directory, folder, file.path), file);
  await link(folder, path.join(directory, DATA));
  await showNames(directory, new Set(files.map(file => file.path.split('/')[0] ?? '')));
  if (before && before !== folder) await rm(path.join(directory, before), { recursive: true, force: true });
}

async function writeOne(file: string, { content, mode }: VolumeFile): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o755 });
  await writeFile(file, content);
  await chmod(file, mode); // writeFile applies the umask to its mode
}

/** Creates the link under a temporary name and renames it, so that the link always exists. */
async function link(target: string, at: string): Promise<void> {
  await rm(`${at}_tmp`, { force: true });
  await symlink(target, `${at}_tmp`);
  await rename(`${at}_tmp`, at);
}

async function showNames(directory: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of names) {
    const at = path.join(directory, name);
    if (!(await lstat(at).catch(() => undefined))) await link(path.join(DATA, name), at);
  }
  for (const entry of await readdir(directory)) {
    if (!entry.startsWith('..') && !names.has(entry)) await rm(path.join(directory, entry), { force: true });
  }
}

/** A file of a volume, written by the agent; its content never comes from the guest. */
export interface VolumeFile {
  /** Relative, without `..`. */
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

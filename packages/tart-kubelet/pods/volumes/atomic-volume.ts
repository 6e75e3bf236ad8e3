import { chmod, lstat, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

const DATA = '..data';

/**
 * Makes a volume hold exactly these files, all of them at one moment, as kubelet does: the files lie in a folder of
 * their own, `..data` links to it, every visible name links through `..data`, and changing that one link changes all.
 * Only for shares a guest cannot write to: links are followed here.
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
  await chmod(file, mode); // the mode of writeFile is cut by the umask
}

/** A link is made beside and renamed: there is never a moment without one. */
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

/** A file of a volume, made by the agent: nothing in it comes from the guest. */
export interface VolumeFile {
  /** Relative, without `..`. */
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

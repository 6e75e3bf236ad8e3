import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack } from 'tar-stream';

/** A file of an image, by its path from the root without a leading slash. */
export type LayerFile =
  | { readonly path: string; readonly content: Uint8Array; readonly mode?: number }
  | { readonly path: string; readonly target: string }
  | { readonly path: string; readonly directory: true; readonly mode?: number };

/** One layer of an image, as stored in a registry. */
export interface Layer {
  readonly blob: Uint8Array;
  readonly digest: string;
  /** Digest of the uncompressed blob, by which a runtime identifies the unpacked layer. */
  readonly diffId: string;
}

/**
 * Creates a layer. The same files give the same bytes: sorted, without times, and owned by root so that the program
 * cannot change itself.
 */
export async function makeLayer(files: readonly LayerFile[]): Promise<Layer> {
  const archive = pack();
  for (const file of withFolders(files)) {
    if ('target' in file)
      archive.entry({ ...OF_ROOT, name: file.path, type: 'symlink', linkname: file.target, mode: 0o777 });
    else if ('directory' in file)
      archive.entry({ ...OF_ROOT, name: file.path, type: 'directory', mode: file.mode ?? 0o755 });
    else archive.entry({ ...OF_ROOT, name: file.path, mode: file.mode ?? 0o644 }, Buffer.from(file.content));
  }
  archive.finalize();
  const plain = await buffer(archive);
  const blob = await promisify(gzip)(plain);
  return { blob, digest: digestOf(blob), diffId: digestOf(plain) };
}

const OF_ROOT = { uid: 0, gid: 0, mtime: new Date(0) };

export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Adds directories before their content. An explicit directory wins over an implied one. */
function withFolders(files: readonly LayerFile[]): LayerFile[] {
  const all = new Map<string, LayerFile>();
  for (const { path } of files)
    for (const folder of foldersOf(path)) all.set(folder, { path: folder, directory: true });
  for (const file of files) all.set(file.path, file);
  return [...all.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));

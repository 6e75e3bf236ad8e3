import { root, type User } from '../user.ts';
import type { FileSystem } from './file-system.ts';

/** One name of an image: a directory, a file, or a link. Contents are buffers shared by all Macs of the image. */
export type ImageEntry = {
  readonly path: string;
  readonly owner?: User;
  readonly gid?: number;
  readonly mode?: number;
} & ({ readonly content: Buffer } | { readonly link: string } | { readonly directory: true });

interface Ownership {
  readonly owner?: User;
  readonly gid?: number;
  readonly mode?: number;
}

export const directory = (path: string, options: Ownership = {}): ImageEntry => ({ path, directory: true, ...options });
export const file = (path: string, text: string | Buffer, options: Ownership = {}): ImageEntry => ({
  path,
  content: Buffer.from(text),
  ...options,
});
export const link = (path: string, target: string): ImageEntry => ({ path, link: target });

/** Lays an image out, in the order of its entries. */
export function layOut(files: FileSystem, entries: readonly ImageEntry[]): void {
  for (const entry of entries) {
    if ('link' in entry) files.link(root, entry.link, entry.path);
    else {
      if ('directory' in entry) files.makeDirectory(root, entry.path, { parents: true });
      else files.write(root, entry.path, entry.content);
      files.chmod(root, entry.path, entry.mode ?? ('directory' in entry ? 0o755 : 0o644));
      files.chown(root, entry.path, entry.owner?.uid ?? 0, entry.gid ?? entry.owner?.gid ?? 0);
    }
  }
}

import { gzipSync } from 'node:zlib';
import { type TarEntry, writeTar } from './tar-format.ts';

/** A .tar.gz as projects publish them: every file may be run and belongs to whoever built it. */
export const tarball = (files: Readonly<Record<string, Buffer | string>>): Buffer =>
  gzipSync(writeTar(Object.entries(files).map(([path, content]) => entryOf(path, Buffer.from(content)))));

const entryOf = (path: string, content: Buffer): TarEntry => ({
  path,
  type: 'file',
  mode: 0o755,
  uid: 501,
  gid: 20,
  modified: 0,
  content,
  target: '',
});

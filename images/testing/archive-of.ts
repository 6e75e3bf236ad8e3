import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type TarEntry, writeTar } from '@minifleet/world/testing/mac';

/** Creates a tar.gz of executable files, with the checksum for a template. */
export function archiveOf(files: Readonly<Record<string, string>>): {
  readonly archive: Buffer;
  readonly sha256: string;
} {
  const known = { type: 'file', mode: 0o755, uid: 501, gid: 20, modified: 0, target: '' } as const;
  const entries = Object.entries(files).map(
    ([path, content]): TarEntry => ({ ...known, path, content: Buffer.from(content) }),
  );
  const archive = gzipSync(writeTar(entries));
  return { archive, sha256: createHash('sha256').update(archive).digest('hex') };
}

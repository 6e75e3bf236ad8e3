import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Artifact } from '../host.ts';

/** A file of ours as an artifact. It is read through once for its hash, and again only if a host does not have it. */
export async function fileArtifact(path: string): Promise<Artifact> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { name: basename(path), sha256: hash.digest('hex'), open: () => createReadStream(path) };
}

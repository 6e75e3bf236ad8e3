import { createHash } from 'node:crypto';
import type { Artifact } from '../../../host.ts';

/** Bytes at hand as an artifact; `opened` counts how often they were asked for. */
export function artifactOf(name: string, content: Uint8Array | string): Artifact & { readonly opened: number } {
  const bytes = Buffer.from(content);
  let opened = 0;
  return {
    name,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    get opened() {
      return opened;
    },
    async *open() {
      opened += 1;
      yield bytes.subarray(0, bytes.length / 2);
      yield bytes.subarray(bytes.length / 2);
    },
  };
}

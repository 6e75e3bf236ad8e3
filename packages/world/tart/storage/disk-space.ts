import { rmSync } from 'node:fs';
import type { Call } from '../call.ts';
import { accessedAt, readFacts } from './bundle.ts';
import { listImages } from './image-cache.ts';
import { listLocal } from './local-vms.ts';
import { parseRemoteName } from './remote-name.ts';

/** Bytes left: what the host file says is free without Tart, less each distinct content once. */
export function availableBytes(call: Call): number {
  const free = call.host().disk?.freeBytes;
  if (free === undefined) return Number.POSITIVE_INFINITY;
  const contents = new Map<string, number>();
  for (const { bundle } of [...listLocal(call), ...listImages(call)]) {
    const facts = readFacts(bundle);
    contents.set(facts.content, Math.max(contents.get(facts.content) ?? 0, facts.allocatedBytes));
  }
  return free - [...contents.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Removes cached images, least recently used first, until the bytes fit. TART_NO_AUTO_PRUNE of any value forbids it. */
export function autoPrune(call: Call, needed: number): void {
  if (call.environment['TART_NO_AUTO_PRUNE'] !== undefined) return;
  const digests = listImages(call)
    .filter(({ name }) => 'digest' in (parseRemoteName(name)?.reference ?? {}))
    .sort((one, other) => accessedAt(one.bundle) - accessedAt(other.bundle));
  for (const { name, bundle } of digests) {
    if (availableBytes(call) >= needed) return;
    rmSync(bundle.directory, { recursive: true, force: true });
    call.around.journal.add('tart', 'auto-pruned', name);
  }
}

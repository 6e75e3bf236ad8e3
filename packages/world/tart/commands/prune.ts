import { rmSync } from 'node:fs';
import { option } from '../command-line/parse-arguments.ts';
import { GB } from '../host/host-file.ts';
import { accessedAt, readFacts } from '../storage/bundle.ts';
import { listImages } from '../storage/image-cache.ts';
import { listLocal, type NamedBundle, stateOf } from '../storage/local-vms.ts';
import { type TartCall, TartUsageFailure } from '../tart-call.ts';
import type { TartCommand } from './tart-command.ts';

export const prune: TartCommand = {
  shape: {
    name: 'prune',
    about: 'Prune OCI and IPSW caches or local VMs',
    positional: [],
    options: [
      option('entries', { oneOf: ['caches', 'vms'] }),
      option('older-than', { value: 'days', integer: true }),
      option('space-budget', { value: 'GB', integer: true }),
    ],
  },
  run(call, given) {
    const [days, gigabytes] = [given.integer('older-than'), given.integer('space-budget')];
    if (days === undefined && gigabytes === undefined)
      throw new TartUsageFailure('at least one pruning criteria must be specified');
    const entries = entriesOf(call, given.text('entries') ?? 'caches');
    const old = days === undefined ? [] : entries.filter(entry => olderThan(call, entry, days));
    const over = gigabytes === undefined ? [] : overBudget(entries, gigabytes * GB);
    for (const { name, bundle } of new Set([...old, ...over])) {
      rmSync(bundle.directory, { recursive: true, force: true });
      call.around.journal.add('tart', 'pruned', name);
    }
  },
};

/** Links are removed with their target, so only digests count. Running VMs are skipped. */
const entriesOf = (call: TartCall, kind: string): NamedBundle[] =>
  kind === 'vms'
    ? listLocal(call).filter(entry => stateOf(call, entry) !== 'running')
    : listImages(call).filter(entry => entry.name.includes('@sha256:'));

const olderThan = (call: TartCall, { bundle }: NamedBundle, days: number): boolean =>
  accessedAt(bundle) < call.around.clock.now() - days * 86_400_000;

/** Keeps the most recently used entries that fit. */
function overBudget(entries: readonly NamedBundle[], bytes: number): NamedBundle[] {
  let left = bytes;
  return [...entries]
    .sort((one, other) => accessedAt(other.bundle) - accessedAt(one.bundle))
    .filter(({ bundle }) => {
      const size = readFacts(bundle).allocatedBytes;
      if (size > left) return true;
      left -= size;
      return false;
    });
}

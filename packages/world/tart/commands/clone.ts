import { existsSync, renameSync, rmSync } from 'node:fs';
import type { Call } from '../call.ts';
import { cancelOnInterrupt } from '../cancel.ts';
import { flag, option } from '../command-line/shape.ts';
import { UsageFailure } from '../failure.ts';
import { GIB } from '../host/host-file.ts';
import { pullImage } from '../oci/pull-image.ts';
import { type Bundle, readConfig, readFacts, writeConfig } from '../storage/bundle.ts';
import { copyBundle } from '../storage/copy-bundle.ts';
import { autoPrune } from '../storage/disk-space.ts';
import { openHome } from '../storage/home.ts';
import { cachedImage, openImage } from '../storage/image-cache.ts';
import { listLocal, localBundle, openLocal } from '../storage/local-vms.ts';
import { holding } from '../storage/lock.ts';
import { parseRemoteName } from '../storage/remote-name.ts';
import { makeTemporary } from '../storage/temporary.ts';
import { randomMac } from '../storage/vm-config.ts';
import { type Command, first, second } from './command.ts';

export const clone: Command = {
  shape: {
    name: 'clone',
    about: 'Clone a VM',
    positional: [
      { name: 'source-name', help: 'source VM name' },
      { name: 'new-name', help: 'new VM name' },
    ],
    options: [
      flag('insecure'),
      option('concurrency', { integer: true }),
      flag('deduplicate'),
      option('prune-limit', { integer: true }),
    ],
  },
  async run(call, given) {
    const name = second(given);
    if (name.includes('/')) throw new UsageFailure('<new-name> should be a local name');
    const source = await sourceOf(call, first(given), given.has('insecure'));
    const temporary = makeTemporary(call);
    cancelOnInterrupt(call, () => temporary.discard());
    try {
      copyBundle(source, temporary.bundle, call.around.clock.now());
      // The real one takes the flock on the home for the last step, so that two clones do not choose the same address.
      await holding(call, openHome(call.home).lock, () => moveIntoPlace(call, temporary.bundle, name));
    } finally {
      temporary.discard();
    }
    const unallocated = readFacts(source).diskBytes - readFacts(source).allocatedBytes;
    autoPrune(call, Math.min(unallocated, (given.integer('prune-limit') ?? 100) * GIB));
  },
};

async function sourceOf(call: Call, name: string, insecure: boolean): Promise<Bundle> {
  const remote = parseRemoteName(name);
  if (!remote) return openLocal(call, name);
  if (!cachedImage(call, remote)) await pullImage(call, remote, { insecure });
  return openImage(call, remote);
}

/**
 * Replaces whatever is there without a word, even a VM that runs: that one keeps its open files and loses its lock and its
 * socket (facts 10.5). The identity (ECID) is kept; the MAC address changes only on collision.
 */
function moveIntoPlace(call: Call, bundle: Bundle, name: string): void {
  const config = readConfig(bundle);
  const suspended = existsSync(bundle.snapshot);
  const taken = listLocal(call).some(other => readConfig(other.bundle).macAddress === config.macAddress);
  if (taken && !suspended) writeConfig(bundle, { ...config, macAddress: randomMac(call.around.chance) });
  const target = localBundle(call, name);
  if (existsSync(target.directory)) call.around.journal.add('tart', 'bundle replaced', name);
  rmSync(target.directory, { recursive: true, force: true });
  renameSync(bundle.directory, target.directory);
}

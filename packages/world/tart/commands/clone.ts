import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { flag, option } from '../command-line/parse-arguments.ts';
import { GB, GIB } from '../host/host-file.ts';
import { pullImage } from '../oci/pull-image.ts';
import {
  type Bundle,
  complete,
  copyBundle,
  readConfig,
  readFacts,
  writeConfig,
  writeFacts,
} from '../storage/bundle.ts';
import { cachedImage, openImage, parseRemoteName, removeImage } from '../storage/image-cache.ts';
import { listLocal, localBundle, openHome, openLocal } from '../storage/local-vms.ts';
import { holding, tryLock } from '../storage/lock.ts';
import { autoPrune, makeTemporary } from '../storage/temporary.ts';
import { newConfig, randomMac } from '../storage/vm-config.ts';
import { cancelOnInterrupt, doesNotExist, isRunning, type TartCall, TartUsageFailure } from '../tart-call.ts';
import { first, second, type TartCommand, VM_NAME } from './tart-command.ts';

export const rename: TartCommand = {
  shape: {
    name: 'rename',
    about: 'Rename a local VM',
    positional: [
      { name: 'name', help: 'VM name' },
      { name: 'new-name', help: 'new VM name' },
    ],
    options: [],
  },
  run(call, given) {
    const [from, to] = [first(given), second(given)];
    if (to.includes('/')) throw new TartUsageFailure('<new-name> should be a local name');
    const source = localBundle(call, from);
    if (!complete(source)) throw new TartUsageFailure(`failed to rename a non-existent VM: ${from}`);
    const target = localBundle(call, to);
    if (existsSync(target.directory)) {
      throw new TartUsageFailure(`failed to rename VM ${from}, target VM ${to} already exists, delete it first!`);
    }
    renameSync(source.directory, target.directory);
  },
};

const DEFAULT_GIGABYTES = 50;
/** Disk usage of a freshly installed macOS (derived). */
const MACOS_BYTES = 18 * GB;

/** Replaces a VM of that name. The installation from an IPSW is not modelled beyond its result. */
export const create: TartCommand = {
  shape: {
    name: 'create',
    about: 'Create a VM',
    positional: [VM_NAME],
    options: [
      option('from-ipsw', { value: 'path' }),
      flag('linux'),
      option('disk-size', { integer: true }),
      option('disk-format', { oneOf: ['raw', 'asif'] }),
    ],
  },
  run(call, given) {
    if (given.text('from-ipsw') === undefined && !given.has('linux')) {
      throw new TartUsageFailure('Please specify either a --from-ipsw or --linux option!');
    }
    const os = given.has('linux') ? 'linux' : 'darwin';
    const temporary = makeTemporary(call);
    const { bundle } = temporary;
    const format = given.text('disk-format') === 'asif' ? 'asif' : 'raw';
    writeConfig(bundle, { ...newConfig(os, call.around.chance), diskFormat: format });
    writeFileSync(bundle.disk, call.around.chance.hex(64));
    writeFileSync(bundle.nvram, call.around.chance.hex(64));
    const facts = {
      diskBytes: (given.integer('disk-size') ?? DEFAULT_GIGABYTES) * GB,
      allocatedBytes: os === 'darwin' ? MACOS_BYTES : 0,
      content: call.around.chance.uuid(),
    };
    writeFacts(bundle, facts, call.around.clock.now());
    const target = localBundle(call, first(given));
    mkdirSync(target.directory, { recursive: true });
    rmSync(target.directory, { recursive: true, force: true });
    renameSync(bundle.directory, target.directory);
    temporary.release();
  },
};

/** Stops at the first error. */
export const remove: TartCommand = {
  shape: {
    name: 'delete',
    about: 'Delete a VM',
    positional: [{ name: 'name', help: 'VM name', repeated: true }],
    options: [],
  },
  run(call, given) {
    for (const name of given.positional) {
      const remote = parseRemoteName(name);
      if (remote) removeImage(call, remote);
      else removeLocal(call, name);
    }
  },
};

/**
 * Without config.json there is nothing to lock: "does not exist", although the other files stay on the disk (facts
 * 10.2).
 */
function removeLocal(call: TartCall, name: string): void {
  const bundle = localBundle(call, name);
  if (!existsSync(bundle.config)) throw doesNotExist(name);
  const lock = call.host().lockLies?.includes(name) ? { release: () => undefined } : tryLock(bundle.lock);
  if (!lock) throw isRunning(name);
  rmSync(bundle.directory, { recursive: true, force: true });
  lock.release();
  call.around.journal.add('tart', 'deleted', name);
}

export const clone: TartCommand = {
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
    if (name.includes('/')) throw new TartUsageFailure('<new-name> should be a local name');
    const source = await sourceOf(call, first(given), given.has('insecure'));
    const temporary = makeTemporary(call);
    cancelOnInterrupt(call, () => temporary.discard());
    try {
      copyBundle(source, temporary.bundle, call.around.clock.now());
      // The real tool holds the flock on the home for the last step, so that two clones do not choose the same address.
      await holding(call, openHome(call.home).lock, () => moveIntoPlace(call, temporary.bundle, name));
    } finally {
      temporary.discard();
    }
    const unallocated = readFacts(source).diskBytes - readFacts(source).allocatedBytes;
    autoPrune(call, Math.min(unallocated, (given.integer('prune-limit') ?? 100) * GIB));
  },
};

async function sourceOf(call: TartCall, name: string, insecure: boolean): Promise<Bundle> {
  const remote = parseRemoteName(name);
  if (!remote) return openLocal(call, name);
  if (!cachedImage(call, remote)) await pullImage(call, remote, { insecure });
  return openImage(call, remote);
}

/**
 * Silently replaces an existing VM, even a running one, which keeps its open files and loses its lock and its socket
 * (facts 10.5). The identity (ECID) is kept; the MAC address changes only on collision.
 */
function moveIntoPlace(call: TartCall, bundle: Bundle, name: string): void {
  const config = readConfig(bundle);
  const suspended = existsSync(bundle.snapshot);
  const taken = listLocal(call).some(other => readConfig(other.bundle).macAddress === config.macAddress);
  if (taken && !suspended) writeConfig(bundle, { ...config, macAddress: randomMac(call.around.chance) });
  const target = localBundle(call, name);
  if (existsSync(target.directory)) call.around.journal.add('tart', 'bundle replaced', name);
  rmSync(target.directory, { recursive: true, force: true });
  renameSync(bundle.directory, target.directory);
}

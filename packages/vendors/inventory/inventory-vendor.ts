import { createHash } from 'node:crypto';
import { retryWhile } from '@minifleet/clock';
import { CataloguedError } from '@minifleet/errors';
import { VENDOR_CANNOT, VENDOR_INVENTORY_INVALID, VENDOR_SERVER_UNKNOWN, VENDOR_UNAVAILABLE } from '../errors.ts';
import type { CallOptions, Server, ServerRef, Vendor } from '../vendor.ts';
import { type InventoryProblem, problemWords } from './inventory-problem.ts';
import type { HostNames, InventoryStore } from './inventory-store.ts';
import { readInventory } from './read-inventory.ts';

export interface InventoryOptions {
  readonly store: InventoryStore;
  /** Told what is wrong with the text whenever it changed; nothing when all is well again. */
  readonly report?: (problems: readonly InventoryProblem[]) => void;
}

const INVENTORY = 'inventory';

interface InventorySnapshot {
  readonly hosts: readonly Server[];
  readonly problems: readonly InventoryProblem[];
  readonly names: HostNames;
  readonly version: string;
}

/** Macs of your own, from a list that people write. Nobody installs or restarts them for us: that stays work of hands. */
export function inventoryVendor({ store, report }: InventoryOptions): Vendor {
  let reported: string | undefined;

  async function read(call: string, options: CallOptions = {}): Promise<InventorySnapshot> {
    const { text, names, version } = await asked(call, options, () => store.read(options));
    const { hosts, problems } = readInventory(text);
    if (text !== reported) report?.(problems);
    reported = text;
    return { hosts: hosts.map(host => ({ ...host, name: names[host.id] ?? host.name })), problems, names, version };
  }

  async function rename(ref: ServerRef, name: string, options: CallOptions = {}): Promise<void> {
    const conflict = VENDOR_UNAVAILABLE({ vendor: INVENTORY, call: 'rename', why: 'concurrent writes to its names' });
    await retryWhile(
      error => error === conflict,
      async () => {
        const known = await read('rename', options);
        const host = find(known, ref);
        if (!host) throw VENDOR_SERVER_UNKNOWN({ vendor: INVENTORY, id: ref.id, zone: ref.zone });
        if (host.name === name) return;
        // Names of hosts that are not listed now are kept: their entry may only be mistyped.
        const names = { ...known.names, [ref.id]: name };
        if (!(await asked('rename', options, () => store.writeNames(names, known.version, options)))) throw conflict;
      },
    );
  }

  return {
    name: INVENTORY,
    can: { reinstall: false, reboot: false },
    async servers(zone, options) {
      const { hosts, problems } = await read('servers', options);
      if (hosts.length === 0) throwIfAny(problems);
      return hosts.filter(host => host.zone === zone);
    },
    server: async (ref, options) => find(await read('server', options), ref),
    rename,
    reinstall: async ({ id }) => cannot('reinstall', id),
    reboot: async ({ id }) => cannot('reboot', id),
    images: async () => [],
    // Nothing is installed from now on, so there is nothing to do: whoever prepares a Mac puts the key on it.
    registerKey: async ({ publicKey }) => ({ id: fingerprintOf(publicKey), outcome: 'present' }),
  };
}

/** A host that is not found may be the one with the problem: it is not taken for gone. */
function find({ hosts, problems }: InventorySnapshot, { zone, id }: ServerRef): Server | undefined {
  const host = hosts.find(candidate => candidate.id === id);
  if (!host) throwIfAny(problems);
  return host?.zone === zone ? host : undefined;
}

function throwIfAny(problems: readonly InventoryProblem[]): void {
  if (problems.length > 0) throw VENDOR_INVENTORY_INVALID({ problems: problemWords(problems) });
}

function cannot(call: string, id: string): never {
  throw VENDOR_CANNOT({ vendor: INVENTORY, call, id });
}

async function asked<T>(call: string, { signal }: CallOptions, ask: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await ask();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CataloguedError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw VENDOR_UNAVAILABLE({ vendor: INVENTORY, call, why }, { cause: error });
  }
}

/** As `ssh-keygen -l` shows it. */
const fingerprintOf = (publicKey: string): string => {
  const blob = Buffer.from(publicKey.trim().split(/\s+/)[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
};

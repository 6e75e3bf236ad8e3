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
  /** Called with the problems whenever the text changed; with an empty list if there are none. */
  readonly report?: (problems: readonly InventoryProblem[]) => void;
}

const INVENTORY = 'inventory';

interface InventorySnapshot {
  readonly hosts: readonly Server[];
  readonly problems: readonly InventoryProblem[];
  readonly names: HostNames;
  readonly version: string;
}

/** Driver for your own Macs from an inventory. It cannot reinstall or restart them; operators do that by hand. */
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
        // Keeps the names of hosts that are not listed: their entry may only be mistyped.
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
    // This driver installs nothing, so there is nothing to register: the operator adds the key when preparing a Mac.
    registerKey: async ({ publicKey }) => ({ id: fingerprintOf(publicKey), outcome: 'present' }),
  };
}

/** Throws if an entry is invalid: a host that is not found may be that entry and must not count as deleted. */
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

/** Fingerprint in the format of `ssh-keygen -l`. */
const fingerprintOf = (publicKey: string): string => {
  const blob = Buffer.from(publicKey.trim().split(/\s+/)[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
};

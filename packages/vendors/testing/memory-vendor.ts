import { VENDOR_CANNOT, VENDOR_IMAGE_NOT_OFFERED, VENDOR_REJECTED, VENDOR_SERVER_UNKNOWN } from '../errors.ts';
import { planKey, type VendorKey } from '../plan-key.ts';
import type {
  CallOptions,
  FleetKey,
  Image,
  RegisteredKey,
  Server,
  ServerRef,
  Vendor,
  VendorCapabilities,
} from '../vendor.ts';
import { createMemoryFaults, errorOf, hang, type MemoryFault } from './memory-faults.ts';
import { createMemoryFleet, type MemoryFleet } from './memory-fleet.ts';
import { SEQUOIA, TAHOE } from './memory-server.ts';
import type { VendorCall } from './vendor-call.ts';

export interface MemoryVendorOptions {
  readonly name?: string;
  /** (default: all capabilities) */
  readonly can?: Partial<VendorCapabilities>;
  /** Initial servers, completed by `memoryServer`. */
  readonly servers?: readonly Partial<Server>[];
  /** Images that are offered for every type and zone (default: Tahoe and Sequoia). The first one is the default image. */
  readonly images?: readonly Image[];
  /** Awaited before a call has its effect: here a test lets others act in between. */
  readonly onCall?: (call: VendorCall) => void | Promise<void>;
}

export interface MemoryVendor extends Vendor, MemoryFleet {
  /** Every call that was made, in order, also those that failed. */
  readonly calls: readonly VendorCall[];
  readonly keys: readonly VendorKey[];
  /** From now on these are the images there are. */
  readonly offer: (images: readonly Image[]) => void;
  readonly failNext: (fault: MemoryFault) => void;
  /** Forgets the faults that have not struck yet. */
  readonly heal: () => void;
}

/** A vendor without a network, for tests of packages that use a vendor. It passes the contract of every driver. */
export function memoryVendor(options: MemoryVendorOptions = {}): MemoryVendor {
  const vendor = options.name ?? 'memory';
  const can: VendorCapabilities = { reinstall: true, reboot: true, ...options.can };
  const { listed, at, ...fleet } = createMemoryFleet(options.servers ?? []);
  const faults = createMemoryFaults();
  const calls: VendorCall[] = [];
  let images = options.images ?? [TAHOE, SEQUOIA];
  let keys: readonly VendorKey[] = [];

  /** The one way of every call: it is noted, may fail before or after its effect, and ends with its signal. */
  async function run<T>(call: VendorCall, { signal }: CallOptions = {}, effect: () => T): Promise<T> {
    calls.push(call);
    signal?.throwIfAborted();
    const fault = faults.take(call);
    if (fault?.when === 'hang') return hang(signal);
    if (fault?.when === 'before') throw errorOf(fault, vendor, call.call);
    await options.onCall?.(call);
    signal?.throwIfAborted();
    const result = effect();
    if (fault) throw errorOf(fault, vendor, call.call);
    return result;
  }

  function known({ zone, id }: ServerRef): Server {
    const server = at({ zone, id });
    if (!server) throw VENDOR_SERVER_UNKNOWN({ vendor, id, zone });
    return server;
  }

  function reinstall(ref: ServerRef, wanted: string | undefined): void {
    if (!can.reinstall) throw VENDOR_CANNOT({ vendor, call: 'reinstall', id: ref.id });
    const { id, zone, type, state, stateWord } = known(ref);
    const image = wanted === undefined ? images[0] : images.find(({ name }) => name === wanted);
    if (!image) {
      const offered = images.map(({ name }) => name).join(', ') || 'nothing';
      throw VENDOR_IMAGE_NOT_OFFERED({ vendor, image: wanted ?? 'image', type, zone, offered });
    }
    if (stateWord === 'reinstalling') return;
    if (state === 'busy') throw VENDOR_REJECTED({ vendor, call: 'reinstall', why: `the server is ${stateWord}` });
    fleet.put({ id, image, state: 'busy', stateWord: 'reinstalling' });
  }

  function reboot(ref: ServerRef): void {
    if (!can.reboot) throw VENDOR_CANNOT({ vendor, call: 'reboot', id: ref.id });
    const { id, state } = known(ref);
    if (state !== 'busy') fleet.put({ id, state: 'busy', stateWord: 'rebooting' });
  }

  function registerKey(key: FleetKey): RegisteredKey {
    const { present, stale, outcome } = planKey(key, keys);
    const { id } = present ?? { id: `key-${calls.length}` };
    keys = [...keys.filter(other => !stale.includes(other)), ...(present ? [] : [{ ...key, id }])];
    return { id, outcome };
  }

  return {
    ...fleet,
    name: vendor,
    can,
    servers: (zone, settings) => run({ call: 'servers', zone }, settings, () => listed(zone)),
    server: ({ zone, id }, settings) => run({ call: 'server', zone, id }, settings, () => at({ zone, id })),
    rename: ({ zone, id }, name, settings) =>
      run({ call: 'rename', zone, id, name }, settings, () => void fleet.put({ id: known({ zone, id }).id, name })),
    reinstall: ({ zone, id }, image, settings) =>
      run({ call: 'reinstall', zone, id, ...(image !== undefined && { image }) }, settings, () =>
        reinstall({ zone, id }, image),
      ),
    reboot: ({ zone, id }, settings) => run({ call: 'reboot', zone, id }, settings, () => reboot({ zone, id })),
    images: (zone, type, settings) =>
      run({ call: 'images', zone, type }, settings, () => (can.reinstall ? images : [])),
    registerKey: (key, settings) => run({ call: 'registerKey', name: key.name }, settings, () => registerKey(key)),
    calls,
    get keys() {
      return keys;
    },
    offer: offered => {
      images = offered;
    },
    failNext: faults.add,
    heal: faults.clear,
  };
}

import type { MacHost, MacHostStatus, MachineAddress } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import type { Server, ServerRef, Vendor } from '@minifleet/vendors';

/**
 * The last list of each zone. A list is minutes old, so servers that were read or changed since then are newer here: a host that was just
 * released must not look free and ready, as it did in the list from before its claim. An owned Mac is always listed.
 */
export interface ServerLists {
  of(host: MacHost): KnownServer;
  /** False only if a list of its zone was read and does not have the server. */
  isListed(host: MacHost): boolean;
  /** Reads the list of a zone. */
  refresh(zone: string): Promise<ZoneLists>;
  /** Calls `wake` when the vendor has accepted work that takes it minutes. Returns a function that ends this. */
  onWork(wake: () => void): () => void;
}

export interface KnownServer {
  readonly server: Server | undefined;
  /** The server was changed since it was read. */
  readonly outdated: boolean;
  readonly vendor: Vendor | undefined;
}

export interface ZoneLists {
  readonly servers: readonly Server[];
  /** The list before; empty after a start. */
  readonly before: ReadonlyMap<string, Server>;
}

export function createServerLists(vendor: Vendor | undefined): ServerLists {
  const zones = new Map<string, Map<string, Server>>();
  /** Servers that were changed and not read since. */
  const outdated = new Set<string>();
  /** Number of the last read or change of each server, to compare with a list that was requested meanwhile. */
  const touched = new Map<string, number>();
  const listeners = new Set<() => void>();
  let count = 0;
  const touch = (id: string): void => void touched.set(id, ++count);

  function noteRead({ zone, id }: ServerRef, server: Server | undefined): void {
    touch(id);
    outdated.delete(id);
    if (server) zones.get(zone)?.set(id, server);
    else zones.get(zone)?.delete(id);
  }

  /** Also after a failure, because a failed call may have had its effect. */
  async function change({ id }: ServerRef, call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } finally {
      touch(id);
      outdated.add(id);
    }
  }

  async function work(ref: ServerRef, call: () => Promise<void>): Promise<void> {
    await change(ref, call);
    for (const wake of listeners) wake();
  }

  const noting: Vendor | undefined = vendor && {
    ...vendor,
    async server(ref, options) {
      const server = await vendor.server(ref, options);
      noteRead(ref, server);
      return server;
    },
    rename: (ref, name, options) => change(ref, () => vendor.rename(ref, name, options)),
    reboot: (ref, options) => work(ref, () => vendor.reboot(ref, options)),
    reinstall: (ref, image, options) => work(ref, () => vendor.reinstall(ref, image, options)),
  };

  return {
    of(host) {
      const { scaleway, owned } = host.spec.source;
      if (owned) return { server: ownedServer(host.metadata.name, owned), outdated: false, vendor: undefined };
      const { zone = '', serverID = '' } = scaleway ?? {};
      return { server: zones.get(zone)?.get(serverID), outdated: outdated.has(serverID), vendor: noting };
    },
    isListed({ spec }) {
      const list = spec.source.scaleway && zones.get(spec.source.scaleway.zone);
      return list === undefined || list.has(spec.source.scaleway?.serverID ?? '');
    },
    async refresh(zone) {
      if (!vendor) return { servers: [], before: new Map() };
      const requested = count;
      const listed = await vendor.servers(zone);
      const before = zones.get(zone) ?? new Map<string, Server>();
      const isNewer = ({ id }: Server): boolean => (touched.get(id) ?? 0) > requested;
      const servers = listed.map(server => (isNewer(server) ? (before.get(server.id) ?? server) : server));
      for (const server of listed) if (!isNewer(server)) outdated.delete(server.id);
      zones.set(zone, new Map(servers.map(server => [server.id, server])));
      return { servers, before };
    },
    onWork(wake) {
      listeners.add(wake);
      return () => void listeners.delete(wake);
    },
  };
}

function ownedServer(name: string, owned: NonNullable<MacHost['spec']['source']['owned']>): Server {
  const { address, port, user, type = '', os = '', screen } = owned;
  return {
    id: name,
    zone: '',
    name,
    type,
    image: { name: os, family: os, version: '', beta: false },
    state: 'ready',
    stateWord: 'ready',
    address,
    sshPort: port,
    user,
    ...(screen === undefined ? {} : { screen }),
  };
}

/** Fields of the status that the vendor shows. An owned Mac has no name and no state there. */
export const statusFromServer = (server: Server, vendor: Vendor | undefined): MacHostStatus => ({
  ...(vendor ? { vendorName: server.name, vendorState: VENDOR_STATES[server.state] } : {}),
  hardware: { type: server.type, macOS: server.image.name },
  ...(server.returnableAt === undefined ? {} : { returnableAt: timestamp(server.returnableAt) }),
});

/** Address of the vendor, before those that the host reports. */
export function withVendorAddress(
  known: readonly MachineAddress[] = [],
  address: string | undefined,
): MachineAddress[] {
  const others = known.filter(({ type }) => type !== 'ExternalIP');
  return address === undefined ? others : [{ type: 'ExternalIP', address }, ...others];
}

const VENDOR_STATES = { ready: 'Ready', busy: 'Busy', broken: 'Broken' } as const;

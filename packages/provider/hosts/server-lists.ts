import type { MacHost, MacHostStatus, MachineAddress } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import type { Server, Vendor } from '@minifleet/vendors';

/** Servers in the last lists of the vendor. An owned Mac is always listed; its server is made from its source. */
export interface ServerLists {
  of(host: MacHost): { readonly server: Server | undefined; readonly vendor: Vendor | undefined };
  /** False only if a list of its zone was read and does not have the server. */
  isListed(host: MacHost): boolean;
  /** Replaces the list of a zone and returns the list before. */
  replace(zone: string, servers: readonly Server[]): ReadonlyMap<string, Server>;
}

export function createServerLists(vendor: Vendor | undefined): ServerLists {
  const zones = new Map<string, ReadonlyMap<string, Server>>();
  return {
    of(host) {
      const { scaleway, owned } = host.spec.source;
      if (owned) return { server: ownedServer(host.metadata.name, owned), vendor: undefined };
      return { server: scaleway && zones.get(scaleway.zone)?.get(scaleway.serverID), vendor };
    },
    isListed({ spec }) {
      const list = spec.source.scaleway && zones.get(spec.source.scaleway.zone);
      return list === undefined || list.has(spec.source.scaleway?.serverID ?? '');
    },
    replace(zone, servers) {
      const before = zones.get(zone) ?? new Map<string, Server>();
      zones.set(zone, new Map(servers.map(server => [server.id, server])));
      return before;
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

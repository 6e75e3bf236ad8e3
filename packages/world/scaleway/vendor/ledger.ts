import type { Clock } from '@minifleet/clock';
import type { Journal } from '../../journal.ts';
import { PLACE } from '../http/gateway.ts';
import type { SshKey } from '../iam/ssh-key-routes.ts';
import { type Catalogue, changeStock } from '../model/catalogue.ts';
import type { Server } from '../model/server.ts';

/** The vendor's records. Nothing in them changes by itself. */
export interface Ledger {
  catalogue: Catalogue;
  readonly sshKeys: Map<string, SshKey>;
  /** In the order of creation. */
  servers(): readonly Server[];
  find(id: string): Server | undefined;
  /** Stores the server. */
  put(server: Server): Server;
  /** Removes the server from every list; it stays on the bill. */
  close(server: Server): void;
  /** Includes deleted servers. */
  everyServer(): readonly Server[];
}

export function createLedger(clock: Clock, journal: Journal, catalogue: Catalogue): Ledger {
  const all = new Map<string, Server>();
  const live = (server: Server | undefined): server is Server => server !== undefined && server.deletedAt === undefined;
  const ledger: Ledger = {
    catalogue,
    sshKeys: new Map(),
    servers: () => [...all.values()].filter(live),
    everyServer: () => [...all.values()],
    find(id) {
      const server = all.get(id);
      return live(server) ? server : undefined;
    },
    put(server) {
      const before = all.get(server.id);
      all.set(server.id, server);
      if (before?.status !== server.status) journal.add(PLACE, 'status', `${server.id} ${server.status}`);
      return server;
    },
    close(server) {
      all.set(server.id, { ...server, deletedAt: clock.now() });
      ledger.catalogue = changeStock(ledger.catalogue, server.type, units => units + 1);
      journal.add(PLACE, 'delete server', server.id);
    },
  };
  return ledger;
}

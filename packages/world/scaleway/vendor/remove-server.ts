import type { Server } from '../model/server.ts';
import { tellMachine, type Vendor } from './vendor.ts';

/** The Mac goes back on the shelf and off the lists; nothing that was still to happen to it happens. */
export function removeServer(vendor: Vendor, server: Server): void {
  vendor.transitions.cancel(server.id);
  vendor.ledger.close(server);
  void tellMachine(vendor, () => vendor.machines.remove?.(server));
}

import { PLACE } from '../http/gateway.ts';
import type { Server } from '../model/server.ts';
import { change, type ServerChange } from '../model/server-transition.ts';
import { removeServer } from './remove-server.ts';
import type { Vendor } from './vendor.ts';

/** Renames without asking, and schedules the deletion for the first moment the licence allows. */
export function changeServer(vendor: Vendor, server: Server, wanted: ServerChange): Server {
  const { around, ledger, transitions } = vendor;
  if (wanted.name !== undefined) {
    around.journal.add(PLACE, 'rename server', `${server.id} ${server.name} -> ${wanted.name}`);
  }
  const changed = ledger.put(change(server, wanted, around.clock.now()));
  if (!changed.deletionScheduled) transitions.keep(server.id);
  else transitions.deleteAt(server.id, server.deletableAt, current => removeServer(vendor, current));
  return changed;
}

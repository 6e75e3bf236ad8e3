import { PLACE } from '../http/gateway.ts';
import type { OperatingSystem } from '../model/catalogue.ts';
import type { Server } from '../model/server.ts';
import { change, finishReinstall, type ServerChange, startReinstall, withStatus } from '../model/server-transition.ts';
import { notifyMachine, type ScalewayVendor } from './scaleway-vendor.ts';
import { within } from './settings.ts';
import { installationOf, passwordFor, projectKeys } from './transitions.ts';

/** Renames without a precondition, and schedules a deletion for the earliest time that the licence allows. */
export function changeServer(vendor: ScalewayVendor, server: Server, requested: ServerChange): Server {
  const { world, ledger, transitions } = vendor;
  if (requested.name !== undefined) {
    world.journal.add(PLACE, 'rename server', `${server.id} ${server.name} -> ${requested.name}`);
  }
  const changed = ledger.put(change(server, requested, world.clock.now()));
  if (!changed.deletionScheduled) transitions.keep(server.id);
  else transitions.deleteAt(server.id, server.deletableAt, current => removeServer(vendor, current));
  return changed;
}

/** Returns the Mac to the stock, removes it from all lists, and cancels its pending transitions. */
export function removeServer(vendor: ScalewayVendor, server: Server): void {
  vendor.transitions.cancel(server.id);
  vendor.ledger.close(server);
  void notifyMachine(vendor, () => vendor.machines.remove?.(server));
}

/** Notifies the Mac at once. The server is ready after the configured time, but not before the Mac is back. */
export function rebootServer(vendor: ScalewayVendor, server: Server): Server {
  const { world, ledger, machines, settings } = vendor;
  world.journal.add(PLACE, 'reboot', server.id);
  const injected = settings.injectSshKeys.onReboot ? { sshKeys: projectKeys(vendor, server.projectId) } : {};
  const notified = notifyMachine(vendor, () => machines.reboot?.(server, injected));
  const after = within(settings.reboot, vendor.chance.stream(`reboot ${server.id} ${world.clock.now()}`));
  vendor.transitions.begin(server.id, after, {
    notify: () => notified,
    next: (current, now) => withStatus(current, 'ready', now),
  });
  return ledger.put(withStatus(server, 'rebooting', world.clock.now()));
}

/** Wipes the Mac: it is off at once, and returns some minutes later with a new password, a new host key and an empty disk. */
export function reinstallServer(vendor: ScalewayVendor, server: Server, os: OperatingSystem): Server {
  const { world, ledger, machines, settings } = vendor;
  world.journal.add(PLACE, 'reinstall', `${server.id} ${os.name}`);
  const password = passwordFor(vendor.chance, server.id, server.installation + 1);
  const after = within(settings.reinstallation, vendor.chance.stream(`reinstall ${server.id} ${server.installation}`));
  void notifyMachine(vendor, () => machines.powerDown?.(server));
  vendor.transitions.begin(server.id, after, {
    notify(current) {
      const fresh = { ...current, password, installation: current.installation + 1 };
      return machines.reinstall?.(fresh, installationOf(vendor, fresh, settings.injectSshKeys.onReinstall));
    },
    next: (current, now) => finishReinstall(current, password, now),
  });
  return ledger.put(startReinstall(server, os, world.clock.now()));
}

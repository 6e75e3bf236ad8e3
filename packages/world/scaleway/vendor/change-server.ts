import { PLACE } from '../http/gateway.ts';
import type { OperatingSystem } from '../model/catalogue.ts';
import type { Server } from '../model/server.ts';
import { change, finishReinstall, type ServerChange, startReinstall, withStatus } from '../model/server-transition.ts';
import { notifyMachine, type ScalewayVendor } from './scaleway-vendor.ts';
import { within } from './settings.ts';
import { installationOf, passwordFor, projectKeys } from './transitions.ts';

/** Renames without asking, and schedules the deletion for the first moment the licence allows. */
export function changeServer(vendor: ScalewayVendor, server: Server, wanted: ServerChange): Server {
  const { world, ledger, transitions } = vendor;
  if (wanted.name !== undefined) {
    world.journal.add(PLACE, 'rename server', `${server.id} ${server.name} -> ${wanted.name}`);
  }
  const changed = ledger.put(change(server, wanted, world.clock.now()));
  if (!changed.deletionScheduled) transitions.keep(server.id);
  else transitions.deleteAt(server.id, server.deletableAt, current => removeServer(vendor, current));
  return changed;
}

/** The Mac goes back on the shelf and off the lists; nothing that was still to happen to it happens. */
export function removeServer(vendor: ScalewayVendor, server: Server): void {
  vendor.transitions.cancel(server.id);
  vendor.ledger.close(server);
  void notifyMachine(vendor, () => vendor.machines.remove?.(server));
}

/** The Mac is told at once; the vendor calls it ready after its usual time, and not before the Mac is back. */
export function rebootServer(vendor: ScalewayVendor, server: Server): Server {
  const { world, ledger, machines, settings } = vendor;
  world.journal.add(PLACE, 'reboot', server.id);
  const injected = settings.injectSshKeys.onReboot ? { sshKeys: projectKeys(vendor, server.projectId) } : {};
  const told = notifyMachine(vendor, () => machines.reboot?.(server, injected));
  const after = within(settings.reboot, vendor.chance.stream(`reboot ${server.id} ${world.clock.now()}`));
  vendor.transitions.begin(server.id, after, {
    tell: () => told,
    next: (current, now) => withStatus(current, 'ready', now),
  });
  return ledger.put(withStatus(server, 'rebooting', world.clock.now()));
}

/** Wipes the Mac: dark at once, back some minutes later with another password, another host key and an empty disk. */
export function reinstallServer(vendor: ScalewayVendor, server: Server, os: OperatingSystem): Server {
  const { world, ledger, machines, settings } = vendor;
  world.journal.add(PLACE, 'reinstall', `${server.id} ${os.name}`);
  const password = passwordFor(vendor.chance, server.id, server.installation + 1);
  const after = within(settings.reinstallation, vendor.chance.stream(`reinstall ${server.id} ${server.installation}`));
  void notifyMachine(vendor, () => machines.powerDown?.(server));
  vendor.transitions.begin(server.id, after, {
    tell(current) {
      const fresh = { ...current, password, installation: current.installation + 1 };
      return machines.reinstall?.(fresh, installationOf(vendor, fresh, settings.injectSshKeys.onReinstall));
    },
    next: (current, now) => finishReinstall(current, password, now),
  });
  return ledger.put(startReinstall(server, os, world.clock.now()));
}

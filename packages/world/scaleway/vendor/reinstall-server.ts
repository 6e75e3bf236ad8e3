import { PLACE } from '../http/gateway.ts';
import type { OperatingSystem } from '../model/operating-system.ts';
import type { Server } from '../model/server.ts';
import { finishReinstall, startReinstall } from '../model/server-transition.ts';
import { installationOf, passwordFor } from './installation.ts';
import { within } from './settings.ts';
import { tellMachine, type Vendor } from './vendor.ts';

/** Wipes the Mac: dark at once, back some minutes later with another password, another host key and an empty disk. */
export function reinstallServer(vendor: Vendor, server: Server, os: OperatingSystem): Server {
  const { around, ledger, machines, settings } = vendor;
  around.journal.add(PLACE, 'reinstall', `${server.id} ${os.name}`);
  const password = passwordFor(vendor.chance, server.id, server.installation + 1);
  const after = within(settings.reinstallation, vendor.chance.stream(`reinstall ${server.id} ${server.installation}`));
  void tellMachine(vendor, () => machines.powerDown?.(server));
  vendor.transitions.begin(server.id, after, {
    tell(current) {
      const fresh = { ...current, password, installation: current.installation + 1 };
      return machines.reinstall?.(fresh, installationOf(vendor, fresh, settings.injectSshKeys.onReinstall));
    },
    next: (current, now) => finishReinstall(current, password, now),
  });
  return ledger.put(startReinstall(server, os, around.clock.now()));
}

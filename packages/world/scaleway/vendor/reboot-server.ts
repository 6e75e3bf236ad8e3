import { PLACE } from '../http/gateway.ts';
import type { Server } from '../model/server.ts';
import { withStatus } from '../model/server-transition.ts';
import { projectKeys } from './installation.ts';
import { within } from './settings.ts';
import { tellMachine, type Vendor } from './vendor.ts';

/** The Mac is told at once; the vendor calls it ready after its usual time, and not before the Mac is back. */
export function rebootServer(vendor: Vendor, server: Server): Server {
  const { around, ledger, machines, settings } = vendor;
  around.journal.add(PLACE, 'reboot', server.id);
  const injected = settings.injectSshKeys.onReboot ? { sshKeys: projectKeys(vendor, server.projectId) } : {};
  const told = tellMachine(vendor, () => machines.reboot?.(server, injected));
  const after = within(settings.reboot, vendor.chance.stream(`reboot ${server.id} ${around.clock.now()}`));
  vendor.transitions.begin(server.id, after, {
    tell: () => told,
    next: (current, now) => withStatus(current, 'ready', now),
  });
  return ledger.put(withStatus(server, 'rebooting', around.clock.now()));
}

import type { HostStateTable } from './host-scope.ts';
import { available } from './states/available.ts';
import { bootstrapping } from './states/bootstrap-host.ts';
import { claimed } from './states/claimed.ts';
import { missing } from './states/missing.ts';
import { quarantined } from './states/quarantined.ts';
import { releasing } from './states/releasing.ts';
import { reinstalling, restarting } from './states/restarting.ts';
import { serving } from './states/serve-host.ts';

/** Handler of each state of a host. `host-state.ts` decides the state. */
export const stateTable: HostStateTable = {
  Available: available,
  Claimed: claimed,
  Bootstrapping: bootstrapping,
  Serving: serving,
  Restarting: restarting,
  Reinstalling: reinstalling,
  Releasing: releasing,
  Quarantined: quarantined,
  Missing: missing,
};

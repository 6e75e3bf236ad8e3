import type { Clock } from '@minifleet/clock';
import {
  ApiError,
  type JsonObject,
  notFound,
  permissionsDenied,
  resourceLocked,
  transientState,
} from '../http/api-error.ts';
import { type Action, authorize, type Call } from '../http/call.ts';
import type { Organization } from '../model/account.ts';
import type { Server, ServerStatus } from '../model/server.ts';
import type { Vendor } from '../vendor/vendor.ts';
import { serverJson } from './server-json.ts';

type Operation = 'update' | 'reboot' | 'reinstall' | 'delete';
type Permit = 'allowed' | 'transient' | 'locked';

const duringTransition: Readonly<Record<Operation, Permit>> = {
  update: 'allowed',
  reboot: 'transient',
  reinstall: 'transient',
  delete: 'transient',
};
const settled: Readonly<Record<Operation, Permit>> = {
  update: 'allowed',
  reboot: 'allowed',
  reinstall: 'allowed',
  delete: 'allowed',
};
const locked: Readonly<Record<Operation, Permit>> = {
  update: 'locked',
  reboot: 'locked',
  reinstall: 'locked',
  delete: 'locked',
};

/**
 * What may be asked of a server in each status. A rename is never refused for a transition: a release renames a host
 * that is already reinstalling and succeeds (facts §4). That delete waits for a transition to end is derived.
 */
export const permits: Readonly<Record<ServerStatus, Readonly<Record<Operation, Permit>>>> = {
  unknown_status: duringTransition,
  starting: duringTransition,
  ready: settled,
  // A broken host can be reinstalled, rebooted and given back: the only ways out (derived).
  error: settled,
  rebooting: duringTransition,
  updating: duringTransition,
  locking: locked,
  locked,
  unlocking: locked,
  reinstalling: duringTransition,
  busy: duringTransition,
};

export const ZONE = '/apple-silicon/v1alpha1/zones/:zone';
export const SERVER = `${ZONE}/servers/:id`;

/** What the routes of servers work on. */
export interface ServerApi {
  readonly vendor: Vendor;
  readonly organization: Organization;
  readonly clock: Clock;
}

export const showServer = (api: ServerApi, server: Server): JsonObject => shown(api, server, false);

/** Answers to writes never show a password: the client has to ask again. */
export const showSealed = (api: ServerApi, server: Server): JsonObject => shown(api, server, true);

const shown = ({ vendor, clock }: ServerApi, server: Server, sealAll: boolean): JsonObject =>
  serverJson(server, { sealAll, now: clock.now(), passwordVisible: vendor.settings.passwordVisible });

/** The server of the path, if the key may do this to it. Another project's server and none at all look the same. */
export function findServer(vendor: Vendor, call: Call, action: Action): Server {
  const zone = zoneOf(vendor, call);
  const server = vendor.ledger.find(call.part('id'));
  if (!server || server.zone !== zone) throw unknownServer(vendor, call, action);
  authorize(call.key, action, 'server', server.projectId);
  return server;
}

function unknownServer(vendor: Vendor, call: Call, action: Action): ApiError {
  return vendor.settings.unknownServer === 'not found'
    ? notFound('server', call.part('id'))
    : permissionsDenied(action, 'server');
}

/** What the API answers for a zone without Macs is derived. */
export function zoneOf(vendor: Vendor, call: Call): string {
  const zone = call.part('zone');
  if (!vendor.settings.zones.includes(zone)) {
    throw new ApiError(404, { message: `unknown zone ${zone}`, type: 'unknown_resource' });
  }
  return zone;
}

/** Refuses an operation that the server's status does not allow. */
export function permit(server: Server, operation: Operation): void {
  const verdict = permits[server.status][operation];
  switch (verdict) {
    case 'allowed':
      return;
    case 'transient':
      throw transientState('server', server.id, server.status);
    case 'locked':
      throw resourceLocked('server', server.id);
  }
}

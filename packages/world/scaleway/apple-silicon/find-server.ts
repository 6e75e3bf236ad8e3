import type { Clock } from '@minifleet/clock';
import { authorize, type IamAction, type ScalewayCall } from '../http/call.ts';
import {
  type JsonObject,
  notFound,
  permissionsDenied,
  resourceLocked,
  ScalewayApiError,
  transientState,
} from '../http/scaleway-api-error.ts';
import type { Organization } from '../model/account.ts';
import type { Server, ServerStatus } from '../model/server.ts';
import type { ScalewayVendor } from '../vendor/scaleway-vendor.ts';
import { serverJson } from './server-json.ts';

type ServerOperation = 'update' | 'reboot' | 'reinstall' | 'delete';
type OperationPermit = 'allowed' | 'transient' | 'locked';

const duringTransition: Readonly<Record<ServerOperation, OperationPermit>> = {
  update: 'allowed',
  reboot: 'transient',
  reinstall: 'transient',
  delete: 'transient',
};
const settled: Readonly<Record<ServerOperation, OperationPermit>> = {
  update: 'allowed',
  reboot: 'allowed',
  reinstall: 'allowed',
  delete: 'allowed',
};
const locked: Readonly<Record<ServerOperation, OperationPermit>> = {
  update: 'locked',
  reboot: 'locked',
  reinstall: 'locked',
  delete: 'locked',
};

/**
 * What may be asked of a server in each status. A rename is never refused for a transition: a release renames a host
 * that is already reinstalling and succeeds (facts §4). That delete waits for a transition to end is derived.
 */
export const permits: Readonly<Record<ServerStatus, Readonly<Record<ServerOperation, OperationPermit>>>> = {
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
  readonly vendor: ScalewayVendor;
  readonly organization: Organization;
  readonly clock: Clock;
}

export const showServer = (api: ServerApi, server: Server): JsonObject => shown(api, server, false);

/** Answers to writes never show a password: the client has to ask again. */
export const showSealed = (api: ServerApi, server: Server): JsonObject => shown(api, server, true);

const shown = ({ vendor, clock }: ServerApi, server: Server, sealAll: boolean): JsonObject =>
  serverJson(server, { sealAll, now: clock.now(), passwordVisible: vendor.settings.passwordVisible });

/** The server of the path, if the key may do this to it. Another project's server and none at all look the same. */
export function findServer(vendor: ScalewayVendor, call: ScalewayCall, action: IamAction): Server {
  const zone = zoneOf(vendor, call);
  const server = vendor.ledger.find(call.part('id'));
  if (!server || server.zone !== zone) throw unknownServer(vendor, call, action);
  authorize(call.key, action, 'server', server.projectId);
  return server;
}

function unknownServer(vendor: ScalewayVendor, call: ScalewayCall, action: IamAction): ScalewayApiError {
  return vendor.settings.unknownServer === 'not found'
    ? notFound('server', call.part('id'))
    : permissionsDenied(action, 'server');
}

/** What the API answers for a zone without Macs is derived. */
export function zoneOf(vendor: ScalewayVendor, call: ScalewayCall): string {
  const zone = call.part('zone');
  if (!vendor.settings.zones.includes(zone)) {
    throw new ScalewayApiError(404, { message: `unknown zone ${zone}`, type: 'unknown_resource' });
  }
  return zone;
}

/** Refuses an operation that the server's status does not allow. */
export function permit(server: Server, operation: ServerOperation): void {
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

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
 * Operations that each status allows. A transition never blocks a rename: a release renames a host that is already
 * reinstalling (facts §4). That a transition blocks a deletion is derived.
 */
export const permits: Readonly<Record<ServerStatus, Readonly<Record<ServerOperation, OperationPermit>>>> = {
  unknown_status: duringTransition,
  starting: duringTransition,
  ready: settled,
  // A broken host can only be reinstalled, rebooted or returned (derived).
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

/** Dependencies of the server routes. */
export interface ServerApi {
  readonly vendor: ScalewayVendor;
  readonly organization: Organization;
  readonly clock: Clock;
}

export const showServer = (api: ServerApi, server: Server): JsonObject => shown(api, server, false);

/** Responses to writes never contain the password; the client must read the server again. */
export const showSealed = (api: ServerApi, server: Server): JsonObject => shown(api, server, true);

const shown = ({ vendor, clock }: ServerApi, server: Server, sealAll: boolean): JsonObject =>
  serverJson(server, { sealAll, now: clock.now(), passwordVisible: vendor.settings.passwordVisible });

/** Finds the server of the path that the key may use. A server of another project looks like one that does not exist. */
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

/** The response for a zone without Macs is derived. */
export function zoneOf(vendor: ScalewayVendor, call: ScalewayCall): string {
  const zone = call.part('zone');
  if (!vendor.settings.zones.includes(zone)) {
    throw new ScalewayApiError(404, { message: `unknown zone ${zone}`, type: 'unknown_resource' });
  }
  return zone;
}

/** Throws if the server's status does not allow the operation. */
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

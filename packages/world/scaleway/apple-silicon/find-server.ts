import { ApiError, notFound, permissionsDenied, resourceLocked, transientState } from '../http/api-error.ts';
import { type Action, authorize } from '../http/authorize.ts';
import type { Call } from '../http/call.ts';
import { type Operation, permits } from '../model/permitted-operation.ts';
import type { Server } from '../model/server.ts';
import type { Vendor } from '../vendor/vendor.ts';

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

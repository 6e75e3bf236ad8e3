import {
  flag,
  noContent,
  object,
  ok,
  type ScalewayCall,
  type ScalewayResult,
  type ScalewayRoute,
  text,
} from '../http/call.ts';
import { invalidArgument, notDeletableBefore, preconditionFailed } from '../http/scaleway-api-error.ts';

import { findServerType } from '../model/catalogue.ts';
import type { Server } from '../model/server.ts';
import type { ServerChange } from '../model/server-transition.ts';
import { changeServer, rebootServer, reinstallServer, removeServer } from '../vendor/change-server.ts';

import type { ScalewayVendor } from '../vendor/scaleway-vendor.ts';
import { findServer, permit, SERVER, type ServerApi, showSealed } from './find-server.ts';
import { readBandwidth, readCommitment, readImage } from './read-order.ts';

export const changeRoutes = (api: ServerApi): ScalewayRoute[] => [
  {
    method: 'PATCH',
    path: SERVER,
    fields: ['name', 'schedule_deletion', 'commitment_type', 'public_bandwidth_bps'],
    run: call => update(api, call),
  },
  { method: 'POST', path: `${SERVER}/reboot`, run: call => reboot(api, call) },
  { method: 'POST', path: `${SERVER}/reinstall`, fields: ['os_id'], run: call => reinstall(api, call) },
  { method: 'DELETE', path: SERVER, run: call => remove(api, call) },
];

function update(api: ServerApi, call: ScalewayCall): ScalewayResult {
  const server = findServer(api.vendor, call, 'write');
  permit(server, 'update');
  return ok(showSealed(api, changeServer(api.vendor, server, readChange(api.vendor, server, call))));
}

function reboot(api: ServerApi, call: ScalewayCall): ScalewayResult {
  const server = findServer(api.vendor, call, 'write');
  permit(server, 'reboot');
  return ok(showSealed(api, rebootServer(api.vendor, server)));
}

function reinstall(api: ServerApi, call: ScalewayCall): ScalewayResult {
  const server = findServer(api.vendor, call, 'write');
  permit(server, 'reinstall');
  // A server delivered with DevOS cannot be reinstalled (vendor documentation). The error text is derived.
  if (server.os.family === 'DevOS') throw preconditionFailed('a server delivered in DevOS cannot be reinstalled');
  const { catalogue } = api.vendor.ledger;
  const type = findServerType(catalogue, server.type);
  if (!type) throw invalidArgument('type', 'constraint', 'the type is no longer sold');
  const os = readImage(catalogue, type, text(call.body, 'os_id'));
  return ok(showSealed(api, reinstallServer(api.vendor, server, os)));
}

function remove(api: ServerApi, call: ScalewayCall): ScalewayResult {
  const server = findServer(api.vendor, call, 'delete');
  permit(server, 'delete');
  if (api.clock.now() < server.deletableAt) throw notDeletableBefore(server.deletableAt);
  removeServer(api.vendor, server);
  return noContent;
}

function readChange(vendor: ScalewayVendor, server: Server, { body }: ScalewayCall): ServerChange {
  const type = findServerType(vendor.ledger.catalogue, server.type);
  const name = text(body, 'name');
  const scheduleDeletion = flag(body, 'schedule_deletion');
  const wrapped = object(body, 'commitment_type');
  const commitment = wrapped && readCommitment(wrapped);
  const bandwidth = type && readBandwidth(type, body);
  return {
    ...(name === undefined ? {} : { name }),
    ...(scheduleDeletion === undefined ? {} : { scheduleDeletion }),
    ...(commitment === undefined ? {} : { commitment }),
    ...(bandwidth === undefined ? {} : { bandwidth }),
  };
}

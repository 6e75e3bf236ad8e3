import {
  authorize,
  isObject,
  ok,
  type ScalewayCall,
  type ScalewayResult,
  type ScalewayRoute,
  text,
} from '../http/call.ts';
import { ordered, pageOf, pagingParameters } from '../http/reply.ts';
import { invalidArgument } from '../http/scaleway-api-error.ts';
import { orderServer } from '../vendor/order-server.ts';
import { changeRoutes } from './change-routes.ts';
import { findServer, SERVER, type ServerApi, showSealed, showServer, ZONE, zoneOf } from './find-server.ts';
import { orderFields, readOrders } from './read-order.ts';

export const serverRoutes = (api: ServerApi): ScalewayRoute[] => [
  {
    method: 'GET',
    path: `${ZONE}/servers`,
    // The API has no filter by name, tag or status: clients list all servers and filter themselves (facts §4).
    query: [...pagingParameters, 'order_by', 'project_id', 'organization_id'],
    run: call => listServers(api, call),
  },
  { method: 'GET', path: SERVER, run: call => ok(showServer(api, findServer(api.vendor, call, 'read'))) },
  ...orderRoutes(api),
  ...changeRoutes(api),
];

function listServers(api: ServerApi, call: ScalewayCall): ScalewayResult {
  const zone = zoneOf(api.vendor, call);
  const projectId = call.query.get('project_id') ?? undefined;
  const organizationId = call.query.get('organization_id') ?? undefined;
  authorize(call.key, 'list', 'server', projectId);
  const found = api.vendor.ledger
    .servers()
    .filter(server => server.zone === zone)
    .filter(server => projectId === undefined || server.projectId === projectId)
    .filter(server => organizationId === undefined || server.organizationId === organizationId);
  const page = pageOf(ordered(found, call.query, { created_at: server => server.createdAt }), call.query);
  return ok({ servers: page.items.map(server => showServer(api, server)), total_count: page.totalCount });
}

/** There is no idempotency key: retrying an order whose response was lost orders a second Mac. */
const orderRoutes = (api: ServerApi): ScalewayRoute[] => [
  {
    method: 'POST',
    path: `${ZONE}/servers`,
    fields: orderFields,
    run(call) {
      const [order] = readOrders(api.vendor, api.organization, call, [text(call.body, 'name') ?? '']);
      if (!order) throw invalidArgument('name', 'required');
      return ok(showSealed(api, orderServer(api.vendor, order)));
    },
  },
  {
    method: 'POST',
    path: `${ZONE}/batch-create-servers`,
    fields: [...orderFields, 'requests'],
    run(call) {
      const orders = readOrders(api.vendor, api.organization, call, batchNames(call));
      return ok({ servers: orders.map(order => showSealed(api, orderServer(api.vendor, order))) });
    },
  },
];

function batchNames({ body }: ScalewayCall): string[] {
  const requests = body['requests'];
  if (!Array.isArray(requests) || requests.length === 0) throw invalidArgument('requests', 'required');
  return requests.map(request => (isObject(request) ? (text(request, 'name') ?? '') : ''));
}

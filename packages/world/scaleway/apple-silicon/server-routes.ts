import { authorize } from '../http/authorize.ts';
import { type Answer, type Call, ok } from '../http/call.ts';
import { ordered, pageOf, pagingParameters } from '../http/paging.ts';
import type { Route } from '../http/route.ts';
import { changeRoutes } from './change-routes.ts';
import { findServer, zoneOf } from './find-server.ts';
import { orderRoutes } from './order-routes.ts';
import { SERVER, type ServerApi, showServer, ZONE } from './server-api.ts';

export const serverRoutes = (api: ServerApi): Route[] => [
  {
    method: 'GET',
    path: `${ZONE}/servers`,
    // There is no filter by name, tag or status: a client lists all and looks itself (facts §4).
    query: [...pagingParameters, 'order_by', 'project_id', 'organization_id'],
    run: call => listServers(api, call),
  },
  { method: 'GET', path: SERVER, run: call => ok(showServer(api, findServer(api.vendor, call, 'read'))) },
  ...orderRoutes(api),
  ...changeRoutes(api),
];

function listServers(api: ServerApi, call: Call): Answer {
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

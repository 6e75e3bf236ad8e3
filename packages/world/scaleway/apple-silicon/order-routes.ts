import { invalidArgument } from '../http/api-error.ts';
import { type Call, isObject, ok, text } from '../http/call.ts';
import type { Route } from '../http/route.ts';
import { orderServer } from '../vendor/order-server.ts';
import { orderFields, readOrders } from './read-order.ts';
import { type ServerApi, showSealed, ZONE } from './server-api.ts';

/** There is no idempotency key: an order whose answer was lost and that is sent again is a second Mac. */
export const orderRoutes = (api: ServerApi): Route[] => [
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

function batchNames({ body }: Call): string[] {
  const requests = body['requests'];
  if (!Array.isArray(requests) || requests.length === 0) throw invalidArgument('requests', 'required');
  return requests.map(request => (isObject(request) ? (text(request, 'name') ?? '') : ''));
}

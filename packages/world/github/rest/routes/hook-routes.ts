import { timestamp } from '@minifleet/clock';
import { requireApp } from '../../auth/caller.ts';
import type { Delivery } from '../../webhooks/hooks.ts';
import { notFound } from '../github-api-error.ts';
import type { GithubCall, GithubRoute } from '../route.ts';

/** Endpoints for an App's webhook: lists deliveries and requests a redelivery. */
export const hookRoutes: readonly GithubRoute[] = [
  {
    method: 'GET',
    path: '/app/hook/deliveries',
    as: 'app',
    query: ['per_page', 'status'],
    answer(call) {
      const { query } = call;
      const requested = query.get('status');
      const newestFirst = deliveriesOf(call)
        .filter(each => requested === null || (requested === 'success') === succeeded(each))
        .toReversed();
      const most = Math.min(Number(query.get('per_page') ?? 30), 100);
      return { status: 200, body: newestFirst.slice(0, most).map(view) };
    },
  },
  {
    method: 'POST',
    path: '/app/hook/deliveries/{delivery_id}/attempts',
    as: 'app',
    answer(call) {
      const id = Number(call.parameters['delivery_id']);
      const delivery = deliveriesOf(call).find(each => each.id === id);
      if (!delivery) throw notFound();
      void call.forge.hooks.redeliver(delivery.id);
      return { status: 202, body: {} };
    },
  },
];

const deliveriesOf = ({ forge, caller }: GithubCall): readonly Delivery[] => {
  const app = requireApp(caller);
  return forge.hooks.deliveries.filter(each => each.hook.app === app.id && each.deliveredAt !== undefined);
};

const succeeded = ({ statusCode }: Delivery): boolean => statusCode >= 200 && statusCode < 300;

const view = (delivery: Delivery): Record<string, unknown> => ({
  id: delivery.id,
  guid: delivery.guid,
  delivered_at: timestamp(delivery.deliveredAt ?? 0),
  redelivery: delivery.redelivery,
  duration: delivery.seconds,
  status: delivery.status,
  status_code: delivery.statusCode,
  event: delivery.event,
  action: delivery.action,
  installation_id: delivery.installationId ?? null,
  repository_id: delivery.repositoryId,
  throttled_at: null,
});

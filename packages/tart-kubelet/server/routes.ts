/** Routes of the kubelet API. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pod } from '@minifleet/kube';
import { serveAttach, serveExec } from './command/serve-command.ts';
import { HttpProblem, type KubeletCall } from './kubelet-request.ts';
import { serveLogs } from './logs/serve-logs.ts';
import { servePortForward } from './port-forward/serve-port-forward.ts';
import type { ServerGuests } from './server-deps.ts';
import { renderResourceMetrics } from './stats/resource-metrics.ts';
import { renderSummary } from './stats/summary.ts';
import type { Upgrade } from './upgrade.ts';

interface KubeletRoute {
  /** Allowed numbers of path segments after the route's own. */
  readonly segments: readonly number[];
  readonly answer?: (call: KubeletCall, response: ServerResponse) => void | Promise<void>;
  readonly upgrade?: (upgrade: Upgrade) => Promise<void>;
}

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

const metrics = (render: (call: KubeletCall) => Promise<string>): KubeletRoute => ({
  segments: [0],
  answer: async (call, response) => send(response, PROMETHEUS, await render(call)),
});

const json = (render: (call: KubeletCall) => object | Promise<object>): KubeletRoute => ({
  segments: [0],
  answer: async (call, response) => send(response, 'application/json', JSON.stringify(await render(call))),
});

const ROUTES: Readonly<Record<string, KubeletRoute>> = {
  '/containerLogs': { segments: [3], answer: serveLogs },
  '/exec': { segments: [3, 4], upgrade: serveExec },
  '/attach': { segments: [3, 4], upgrade: serveAttach },
  '/portForward': { segments: [2, 3], upgrade: servePortForward },
  '/pods': json(({ server }) => podList(server.pods())),
  '/runningpods': json(({ server }) => runningPodList(server.pods(), server.guests)),
  '/stats/summary': json(async ({ server, query }) =>
    renderSummary(await server.samples(), {
      node: server.node,
      onlyCpuAndMemory: query.get('only_cpu_and_memory') === 'true',
    }),
  ),
  '/metrics': metrics(({ server }) => server.metrics()),
  '/metrics/resource': metrics(async ({ server }) => renderResourceMetrics(await server.samples())),
  // Scrapers request these two from every Node. There are no cgroups, and probe results are in the agent's own metrics.
  '/metrics/cadvisor': metrics(async () => ''),
  '/metrics/probes': metrics(async () => ''),
  '/healthz': { segments: [0, 1], answer: ({ server }, response) => sendHealth(server.unhealthy(), response) },
};

interface RouteMatch {
  readonly route: KubeletRoute;
  readonly call: Omit<KubeletCall, 'server'>;
}

/** Throws 404 for an unknown path. */
export function findRoute(request: IncomingMessage): RouteMatch {
  const url = new URL(request.url ?? '/', 'https://kubelet');
  const parts = url.pathname.split('/').filter(part => part !== '');
  for (const own of [2, 1]) {
    const route = ROUTES[`/${parts.slice(0, own).join('/')}`];
    const segments = parts.slice(own);
    if (route?.segments.includes(segments.length)) {
      return { route, call: { request, path: url.pathname, query: url.searchParams, segments: segments.map(decode) } };
    }
  }
  throw new HttpProblem(404, '404 page not found\n');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpProblem(400, 'invalid URL encoding in the path');
  }
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': type }).end(body);
}

function sendHealth(problem: string | undefined, response: ServerResponse): void {
  response.writeHead(problem === undefined ? 200 : 500, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(problem ?? 'ok');
}

/** Lists for /pods and /runningpods. */

const list = (items: readonly object[]): object => ({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

/** Every Pod bound to this Node, as the API server has it. */
const podList = (pods: readonly Pod[]): object => list(pods);

/** Pods whose guest runs now, from the host's state rather than from the reported one. */
function runningPodList(pods: readonly Pod[], guests: ServerGuests): object {
  const running = pods.filter(({ metadata: { namespace = '', name, uid } }) => {
    return guests.find({ namespace, name, uid })?.state?.phase === 'running';
  });
  return list(
    running.map(({ metadata: { namespace, name, uid }, spec }) => ({
      metadata: { namespace, name, uid },
      spec: {
        containers: (spec?.containers ?? []).map(container => ({ name: container.name, image: container.image })),
      },
      status: {},
    })),
  );
}

import { readFile } from 'node:fs/promises';
import type { Clock } from '@minifleet/clock';
import type { Client, Log, Node } from '@minifleet/kube';
import type { Guests } from '../guests/guest.ts';
import type { Run } from '../host-facts/run-command.ts';
import type { NodeIdentity } from '../identity/node-identity.ts';
import { readIfPresent } from '../identity/node-kubeconfig.ts';
import type { DiskAccount } from '../images/disk-account.ts';
import type { AgentMetrics } from '../observe/agent-metrics.ts';
import type { Pods } from '../pods/pods.ts';
import { reviewsOf } from '../server/access/reviews.ts';
import { serveLoopbackHealth } from '../server/health-server.ts';
import { type KubeletServer, startKubeletServer } from '../server/kubelet-server.ts';
import { USUAL_LIMITS } from '../server/server-deps.ts';
import type { Flags } from './flags.ts';
import { measure } from './measure.ts';
import { servedPods } from './served-pods.ts';

export interface ServeOptions {
  readonly flags: Flags;
  readonly clock: Clock;
  readonly log: Log;
  readonly logs: string;
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly identity: NodeIdentity;
  readonly pods: Pods;
  readonly guests: Guests;
  readonly run: Run;
  readonly metrics: AgentMetrics;
  readonly node: () => Node | undefined;
  readonly disk: () => DiskAccount | undefined;
}

/** The kubelet's server, from the first serving certificate on, until the signal aborts. */
export async function serve(options: ServeOptions): Promise<void> {
  const { flags, clock, log, identity, signal } = options;
  const unhealthy = (): string | undefined => (options.node() ? undefined : 'the Node is not registered');
  const health = await serveLoopbackHealth({ port: flags.healthPort, unhealthy });
  const clientAuthority = await authorityIn(identity.kubeconfig);
  let server: Promise<KubeletServer> | undefined;
  identity.onServingCredential(({ certificate, key }) => {
    const serving = { certificate, privateKey: key };
    if (server) return void server.then(started => started.replaceCertificate(serving));
    server = startKubeletServer({
      node: flags.nodeName,
      clock,
      log,
      host: flags.nodeIp ?? '0.0.0.0',
      port: flags.port,
      serving,
      clientAuthority,
      reviews: reviewsOf(options.client),
      guests: servedPods(options),
      pods: () => options.pods.list(),
      samples: () => measure(options),
      metrics: () => scrape(options),
      unhealthy,
      limits: USUAL_LIMITS,
    });
    server.then(
      ({ port }) => log.info({ port }, 'The server is up'),
      (error: unknown) => log.error({ error: String(error) }, 'The server does not start'),
    );
  });
  await aborted(signal);
  await Promise.allSettled([health.close(), server?.then(started => started.close())]);
}

function scrape({ metrics, disk }: ServeOptions): Promise<string> {
  const account = disk();
  if (account) metrics.disk(account);
  return metrics.kube.registry.metrics();
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function authorityIn(kubeconfig: string): Promise<string> {
  const authority = readIfPresent(kubeconfig)?.authority;
  if (!authority) throw new Error(`${kubeconfig} names no certificate authority: whom could the server believe?`);
  return 'data' in authority ? authority.data.toString() : readFile(authority.file, 'utf8');
}

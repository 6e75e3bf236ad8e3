import { readFile } from 'node:fs/promises';
import type { Clock } from '@minifleet/clock';
import { type Client, type Log, type Node, serveHealth } from '@minifleet/kube';
import { type Redactor, Secret } from '@minifleet/secret';
import type { Guests } from '../guests/guest.ts';
import type { RunLocalCommand } from '../host-facts/local-command.ts';
import type { NodeIdentity } from '../identity/node-identity.ts';
import { readIfPresent } from '../identity/node-kubeconfig.ts';
import type { DiskAccount } from '../images/disk-account.ts';
import type { AgentMetrics } from '../observe/agent-metrics.ts';
import type { Pods } from '../pods/pods.ts';
import { reviewsOf } from '../server/access/reviews.ts';
import { type KubeletServer, startKubeletServer } from '../server/kubelet-server.ts';
import { DEFAULT_LIMITS } from '../server/server-deps.ts';
import type { AgentFlags } from './flags.ts';
import { measure } from './measure.ts';
import { servedPods } from './served-pods.ts';

interface ServeOptions {
  readonly flags: AgentFlags;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Pick<Redactor, 'learn'>;
  readonly logs: string;
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly identity: NodeIdentity;
  readonly pods: Pods;
  readonly guests: Guests;
  readonly run: RunLocalCommand;
  readonly metrics: AgentMetrics;
  readonly node: () => Node | undefined;
  readonly disk: () => DiskAccount | undefined;
}

/** Serves health at once and the kubelet API from the first serving certificate on, until the signal aborts. */
export async function serve(options: ServeOptions): Promise<void> {
  const { flags, clock, log, identity, signal } = options;
  options.metrics.follow({ disk: options.disk });
  const unhealthy = (): string | undefined => (options.node() ? undefined : 'the Node is not registered');
  // On loopback only, because no permission is needed for it.
  const checks = { node: unhealthy };
  const health = await serveHealth({ host: '127.0.0.1', port: flags.healthPort, live: checks, ready: checks });
  const clientAuthority = await authorityIn(identity.kubeconfig);
  let server: Promise<KubeletServer> | undefined;
  identity.onServingCredential(({ certificate, key }) => {
    options.redactor.learn(new Secret('serving key', key));
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
      metrics: () => options.metrics.kube.registry.metrics(),
      unhealthy,
      limits: DEFAULT_LIMITS,
    });
    server.then(
      ({ port }) => log.info({ port }, 'Kubelet server started'),
      (error: unknown) => log.error({ error: String(error) }, 'Kubelet server failed to start'),
    );
  });
  await aborted(signal);
  await Promise.allSettled([health.close(), server?.then(started => started.close())]);
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function authorityIn(kubeconfig: string): Promise<string> {
  const authority = readIfPresent(kubeconfig)?.authority;
  if (!authority) throw new Error(`${kubeconfig} has no certificate authority; cannot verify client certificates`);
  return 'data' in authority ? authority.data.toString() : readFile(authority.file, 'utf8');
}

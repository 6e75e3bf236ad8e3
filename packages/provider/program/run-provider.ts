import type { Clock } from '@minifleet/clock';
import { createRedactor } from '@minifleet/host';
import {
  type Client,
  type CredentialSources,
  connectClient,
  countRequests,
  createRuntime,
  errorFields,
  inClusterSources,
  type Log,
  namespaces,
  type Runtime,
  readKubeconfig,
  serveHealth,
} from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import { readFleetFile } from '@minifleet/spec-file';
import { type OwnServer, readOwnServer } from '../control-plane/own-server.ts';
import type { ProbeKubeconfig } from '../control-plane/probe-kubeconfig.ts';
import type { JobMeans } from '../host-work/run-job.ts';
import { openProviderLog } from '../observe/provider-log.ts';
import { createProviderMetrics, type ProviderMetrics } from '../observe/provider-metrics.ts';
import { addControllers } from './add-controllers.ts';
import type { Flags } from './flags.ts';
import { openVendors } from './open-vendors.ts';
import type { ProviderSettings } from './settings.ts';
import { settingsFrom } from './settings-from.ts';

/** What the program is given by its `main.ts`. */
export interface ProviderSurroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly output: { write(line: string): unknown };
  readonly random: (bytes: number) => Uint8Array;
  /** This process among its replicas. */
  readonly identity: string;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** All the controllers know of the program around them. */
export interface Program extends Omit<ProviderSurroundings, 'output' | 'signal'> {
  readonly flags: Flags;
  readonly settings: ProviderSettings;
  readonly sources: CredentialSources;
  /** The API server as this process reaches it, read at its start. */
  readonly ownServer: OwnServer;
  readonly client: Client;
  readonly log: Log;
  readonly metrics: ProviderMetrics;
  readonly runtime: Runtime;
  /** UID of the namespace kube-system: what tells this cluster from others that know the same hosts. */
  readonly clusterId: string;
  readonly outside?: Outside;
}

/** How it comes to hosts, and to the API server that a kubeconfig names: over the network where nothing is said. */
export interface Outside {
  readonly openTransport?: JobMeans['openTransport'];
  readonly probe?: ProbeKubeconfig;
}

/** The whole provider, until the signal aborts. Jobs under way end with it; the next one goes on where they were. */
export async function runProvider(flags: Flags, around: ProviderSurroundings): Promise<void> {
  const { clock, environment, output, signal } = around;
  const redactor = createRedactor(secretsIn(environment));
  const log = openProviderLog({ output, level: flags.logLevel, clock, redactor });
  const settings = settingsFrom(flags, await fleetOf(flags), around.version);
  const metrics = createProviderMetrics(clock);
  const sources = flags.kubeconfig ? readKubeconfig(flags.kubeconfig) : inClusterSources(environment);
  const client = connectClient(sources, { clock, onRequest: countRequests(metrics.kube, sources.server.host) });
  try {
    const kubeSystem = await client.get(namespaces, { name: 'kube-system' }, { signal });
    const runtime = createRuntime({
      name: 'minifleet.dev/provider',
      identity: around.identity,
      client,
      clock,
      log,
      metrics: metrics.kube,
      ...(flags.leaderElect ? { leaderElection: { lease: leaseOf(flags) } } : {}),
    });
    const clusterId = kubeSystem.metadata.uid ?? '';
    const vendors = openVendors({ flags, environment, client, clock, log, onCall: end => metrics.vendorCalled(end) });
    const ownServer = await readOwnServer(sources);
    const program = { ...around, flags, settings, sources, ownServer, client, log, metrics, runtime, clusterId };
    addControllers(program, vendors);
    log.info({ version: around.version, flags }, 'The provider starts');
    await serveWhile({ flags, metrics, runtime }, () => runtime.run(signal));
  } catch (error) {
    if (!signal.aborted) log.error(errorFields(error), 'The provider ends');
    throw error;
  } finally {
    await client.close();
  }
}

/** Known from the start; jobs on hosts keep the secrets of theirs out of what they tell. */
const secretsIn = ({ SCW_SECRET_KEY }: ProviderSurroundings['environment']): Secret[] =>
  SCW_SECRET_KEY ? [new Secret('vendor key', SCW_SECRET_KEY)] : [];

const fleetOf = async ({ fleetFile }: Flags) => (fleetFile === undefined ? {} : readFleetFile(fleetFile));

/** The older system's name: two generations of the provider never work at once. */
const leaseOf = ({ leaseNamespace }: Flags) => ({
  namespace: leaseNamespace,
  name: 'scaleway-applesilicon.infrastructure.cluster.x-k8s.io',
});

async function serveWhile(
  { flags, metrics, runtime }: Pick<Program, 'flags' | 'metrics' | 'runtime'>,
  work: () => Promise<void>,
): Promise<void> {
  const server = await serveHealth({ ...flags.bind, registry: metrics.kube.registry, ready: runtime.checks });
  try {
    await work();
  } finally {
    await server.close();
  }
}

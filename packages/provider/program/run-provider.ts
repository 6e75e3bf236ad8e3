import { type Log, namespaces, type ProgramParts, runProgram, type Surroundings } from '@minifleet/kube';
import { createRedactor, type Redactor, Secret } from '@minifleet/secret';
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

/** All the controllers know of the program around them. */
export interface Program extends Omit<Surroundings, 'output' | 'signal'>, ProgramParts {
  readonly flags: Flags;
  readonly settings: ProviderSettings;
  /** The API server as this process reaches it, read at its start. */
  readonly ownServer: OwnServer;
  readonly log: Log;
  readonly metrics: ProviderMetrics;
  /** Redactor of the log: it learns the secrets that the process reads later. */
  readonly redactor: Pick<Redactor, 'learn'>;
  /** UID of the namespace kube-system: what tells this cluster from others that know the same hosts. */
  readonly clusterId: string;
  readonly outside?: Outside;
}

/** How it comes to hosts, and to the API server that a kubeconfig names: over the network where nothing is said. */
export interface Outside {
  readonly openTransport?: JobMeans['openTransport'];
  readonly probe?: ProbeKubeconfig;
}

/** The older system's name: two generations of the provider never work at once. */
const LEASE = 'scaleway-applesilicon.infrastructure.cluster.x-k8s.io';

/** The whole provider, until the signal aborts. Jobs under way end with it; the next one goes on where they were. */
export async function runProvider(flags: Flags, around: Surroundings): Promise<void> {
  const { clock, environment, output, signal } = around;
  const redactor = createRedactor(secretsIn(environment));
  const log = openProviderLog({ output, level: flags.logLevel, clock, redactor });
  const settings = settingsFrom(flags, await fleetOf(flags), around.version);
  const metrics = createProviderMetrics(clock);
  const options = { name: 'minifleet.dev/provider', called: 'provider', lease: LEASE };
  await runProgram({ ...options, flags, around, log, metrics: metrics.kube }, async ({ sources, client, runtime }) => {
    const kubeSystem = await client.get(namespaces, { name: 'kube-system' }, { signal });
    const clusterId = kubeSystem.metadata.uid ?? '';
    const vendors = openVendors({ flags, environment, client, clock, log, onCall: end => metrics.vendorCalled(end) });
    const ownServer = await readOwnServer(sources);
    const program = {
      ...around,
      flags,
      settings,
      sources,
      ownServer,
      client,
      log,
      metrics,
      redactor,
      runtime,
      clusterId,
    };
    addControllers(program, vendors);
  });
}

/** Known from the start; jobs on hosts keep the secrets of theirs out of what they tell. */
const secretsIn = ({ SCW_SECRET_KEY }: Surroundings['environment']): Secret[] =>
  SCW_SECRET_KEY ? [new Secret('vendor key', SCW_SECRET_KEY)] : [];

const fleetOf = async ({ fleetFile }: Flags) => (fleetFile === undefined ? {} : readFleetFile(fleetFile));

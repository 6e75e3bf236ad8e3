import type { Clock } from '@minifleet/clock';
import { createRedactor, type Redactor, type Secret } from '@minifleet/secret';
import type { Client } from '../client/client.ts';
import { connectClient } from '../client/connect.ts';
import type { CredentialSources } from '../client/credentials.ts';
import { inClusterSources } from '../client/in-cluster.ts';
import { readKubeconfig } from '../client/kubeconfig.ts';
import { serveHealth } from '../observe/health-server.ts';
import { errorFields, type Log } from '../observe/log.ts';
import { countRequests, type Metrics } from '../observe/metrics.ts';
import { createRuntime, type Runtime } from '../runtime.ts';
import { createLog } from './create-log.ts';
import type { ProgramFlags } from './flags.ts';

/** Environment of a controller program, from its `main.ts`. */
export interface ProgramContext {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly output: { write(line: string): unknown };
  readonly random: (bytes: number) => Uint8Array;
  /** Identity of this process among its replicas. */
  readonly identity: string;
  readonly version: string;
  readonly signal: AbortSignal;
}

interface ProgramOptions {
  /** Reporting controller of events: `minifleet.dev/provider`. */
  readonly name: string;
  /** Name in log messages: `Provider`. */
  readonly title: string;
  /** Name of the Lease that elects the active replica. */
  readonly lease: string;
  readonly flags: ProgramFlags;
  readonly context: ProgramContext;
  readonly metrics: Metrics;
  /** Secrets that the process has read before its log is open, for example from the environment. */
  readonly secrets?: readonly Secret[];
}

/** Dependencies of a program's controllers. */
export interface ProgramDeps {
  readonly sources: CredentialSources;
  readonly client: Client;
  readonly runtime: Runtime;
  readonly log: Log;
  /** Redactor of the log. It learns every secret that the process reads. */
  readonly redactor: Pick<Redactor, 'learn'>;
}

/**
 * Secrets that the log redactor remembers. A controller re-reads the Secrets of the object that it works on, so these are the most
 * recent ones. The encodings of a secret take about 10 kB.
 */
const REMEMBERED_SECRETS = 128;

/** Runs a controller program until its signal aborts: client, log, health and metrics, leader election, controllers. */
export async function runProgram(
  { name, title, lease, flags, context, metrics, secrets = [] }: ProgramOptions,
  addControllers: (deps: ProgramDeps) => Promise<void>,
): Promise<void> {
  const { clock, environment, identity, output, signal, version } = context;
  const redactor = createRedactor(secrets, { keep: REMEMBERED_SECRETS });
  const log = createLog({ output, level: flags.logLevel, clock, redactor });
  const sources = flags.kubeconfig ? readKubeconfig(flags.kubeconfig) : inClusterSources(environment);
  const onRequest = countRequests(metrics, sources.server.host);
  const client = connectClient(sources, { clock, onRequest, learner: redactor });
  try {
    const runtime = createRuntime({
      ...{ name, identity, client, clock, log, metrics },
      ...(flags.leaderElect ? { leaderElection: { lease: { namespace: flags.leaseNamespace, name: lease } } } : {}),
    });
    await addControllers({ sources, client: runtime.client, runtime, log, redactor });
    log.info({ version, flags }, `${title} started`);
    const server = await serveHealth({ ...flags.bind, registry: metrics.registry, ready: runtime.checks });
    try {
      await runtime.run(signal);
    } finally {
      await server.close();
    }
  } catch (error) {
    if (!signal.aborted) log.error(errorFields(error), `${title} failed`);
    throw error;
  } finally {
    await client.close();
  }
}

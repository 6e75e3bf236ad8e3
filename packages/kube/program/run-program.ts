import type { Clock } from '@minifleet/clock';
import type { Client } from '../client/client.ts';
import { connectClient } from '../client/connect.ts';
import type { CredentialSources } from '../client/credentials.ts';
import { inClusterSources } from '../client/in-cluster.ts';
import { readKubeconfig } from '../client/kubeconfig.ts';
import { countRequests } from '../observe/count-requests.ts';
import { serveHealth } from '../observe/health-server.ts';
import { errorFields, type Log } from '../observe/log.ts';
import type { LogLevel } from '../observe/log-settings.ts';
import type { Metrics } from '../observe/metrics.ts';
import { createRuntime, type Runtime } from '../runtime.ts';
import type { BindAddress } from './flag-values.ts';

/** What a program of controllers is given by its `main.ts`. */
export interface Surroundings {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly output: { write(line: string): unknown };
  readonly random: (bytes: number) => Uint8Array;
  /** This process among its replicas. */
  readonly identity: string;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** The flags that every program of controllers has. */
export interface ProgramFlags {
  /** The Pod's own account when undefined. */
  readonly kubeconfig: string | undefined;
  readonly leaderElect: boolean;
  readonly leaseNamespace: string;
  readonly bind: BindAddress;
  readonly logLevel: LogLevel;
}

export interface ProgramOptions {
  /** As it stands in events: `minifleet.dev/provider`. */
  readonly name: string;
  /** In the log: `provider`. */
  readonly called: string;
  /** Name of the Lease by which one of several replicas works. */
  readonly lease: string;
  readonly flags: ProgramFlags;
  readonly around: Surroundings;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface ProgramParts {
  readonly sources: CredentialSources;
  readonly client: Client;
  readonly runtime: Runtime;
}

/** A whole program until its signal aborts: client, health and metrics, leadership, and the controllers that `addAll` puts in. */
export async function runProgram(
  { name, called, lease, flags, around, log, metrics }: ProgramOptions,
  addAll: (parts: ProgramParts) => Promise<void>,
): Promise<void> {
  const { clock, environment, identity, signal, version } = around;
  const sources = flags.kubeconfig ? readKubeconfig(flags.kubeconfig) : inClusterSources(environment);
  const client = connectClient(sources, { clock, onRequest: countRequests(metrics, sources.server.host) });
  try {
    const runtime = createRuntime({
      ...{ name, identity, client, clock, log, metrics },
      ...(flags.leaderElect ? { leaderElection: { lease: { namespace: flags.leaseNamespace, name: lease } } } : {}),
    });
    await addAll({ sources, client, runtime });
    log.info({ version, flags }, `The ${called} starts`);
    await serveWhile({ bind: flags.bind, metrics, runtime }, () => runtime.run(signal));
  } catch (error) {
    if (!signal.aborted) log.error(errorFields(error), `The ${called} ends`);
    throw error;
  } finally {
    await client.close();
  }
}

async function serveWhile(
  { bind, metrics, runtime }: { readonly bind: BindAddress; readonly metrics: Metrics; readonly runtime: Runtime },
  work: () => Promise<void>,
): Promise<void> {
  const server = await serveHealth({ ...bind, registry: metrics.registry, ready: runtime.checks });
  try {
    await work();
  } finally {
    await server.close();
  }
}

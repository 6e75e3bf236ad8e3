import { namespaces } from '@minifleet/kube';
import { type ProgramContext, type ProgramDeps, runProgram } from '@minifleet/kube/program';
import { Secret } from '@minifleet/secret';
import { readFleetFile } from '@minifleet/spec-file';
import { type OwnServer, readOwnServer } from '../control-plane/own-server.ts';
import type { ProbeKubeconfig } from '../control-plane/probe-kubeconfig.ts';
import type { JobMeans } from '../host-work/run-job.ts';
import { createProviderMetrics, type ProviderMetrics } from '../observe/provider-metrics.ts';
import { addControllers } from './add-controllers.ts';
import type { ProviderFlags } from './flags.ts';
import { openVendors } from './open-vendors.ts';
import type { ProviderSettings } from './settings.ts';

/** Dependencies of the provider's controllers. */
export interface ProviderDeps extends Omit<ProgramContext, 'output' | 'signal'>, ProgramDeps {
  readonly flags: ProviderFlags;
  readonly settings: ProviderSettings;
  /** The API server as this process reaches it, read when the provider starts. */
  readonly ownServer: OwnServer;
  readonly metrics: ProviderMetrics;
  /** UID of the namespace kube-system. It distinguishes this cluster from others that use the same hosts. */
  readonly clusterId: string;
  readonly outside?: OutsideAccess;
}

/** Access to hosts, and to the API server that a kubeconfig names (default: over the network). */
interface OutsideAccess {
  readonly openTransport?: JobMeans['openTransport'];
  readonly probe?: ProbeKubeconfig;
}

/** The previous system uses the same name, so that the two generations of the provider never work at the same time. */
const LEASE = 'scaleway-applesilicon.infrastructure.cluster.x-k8s.io';

/** Runs the provider until the signal aborts. Running host jobs end with it; the next provider resumes them. */
export async function runProvider(flags: ProviderFlags, context: ProgramContext): Promise<void> {
  const { clock, environment, signal, version } = context;
  const fleet = flags.fleetFile === undefined ? {} : await readFleetFile(flags.fleetFile);
  const settings: ProviderSettings = { ...flags, fleet, agentVersion: version };
  const metrics = createProviderMetrics(clock);
  const options = { name: 'minifleet.dev/provider', title: 'Provider', lease: LEASE, secrets: secretsIn(environment) };
  await runProgram({ ...options, flags, context, metrics: metrics.kube }, async deps => {
    const { client, log, sources } = deps;
    const kubeSystem = await client.get(namespaces, { name: 'kube-system' }, { signal });
    const clusterId = kubeSystem.metadata.uid ?? '';
    const vendors = openVendors({ flags, environment, client, clock, log, onCall: end => metrics.vendorCalled(end) });
    const ownServer = await readOwnServer(sources);
    addControllers({ ...context, ...deps, flags, settings, ownServer, metrics, clusterId }, vendors);
  });
}

const secretsIn = ({ SCW_SECRET_KEY }: ProgramContext['environment']): Secret[] =>
  SCW_SECRET_KEY ? [new Secret('vendor key', SCW_SECRET_KEY)] : [];

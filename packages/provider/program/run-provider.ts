import { namespaces } from '@minifleet/kube';
import { type ProgramContext, type ProgramDeps, runProgram } from '@minifleet/kube/program';
import { Secret } from '@minifleet/secret';
import { readFleetFile } from '@minifleet/spec-file';
import { type OwnServer, readOwnServer } from '../control-plane/own-server.ts';
import type { ProbeKubeconfig } from '../control-plane/probe-kubeconfig.ts';
import type { JobDeps } from '../hosts/jobs/run-job.ts';
import { createProviderMetrics, type ProviderMetrics } from '../observe/provider-metrics.ts';
import type { ProviderFlags } from '../settings/flags.ts';
import { PROVIDER_LEASE } from '../settings/lease.ts';
import type { ProviderSettings } from '../settings/settings.ts';
import { addControllers } from './add-controllers.ts';
import { openVendor } from './open-vendor.ts';

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
  readonly openTransport?: JobDeps['openTransport'];
  readonly probe?: ProbeKubeconfig;
}

/** Runs the provider until the signal aborts. Running host jobs end with it; the next provider resumes them. */
export async function runProvider(flags: ProviderFlags, context: ProgramContext): Promise<void> {
  const { clock, environment, signal, version } = context;
  const fleet = flags.fleetFile === undefined ? {} : await readFleetFile(flags.fleetFile);
  const settings: ProviderSettings = { ...flags, fleet, agentVersion: version };
  const metrics = createProviderMetrics(clock);
  const options = {
    name: 'minifleet.dev/provider',
    title: 'Provider',
    lease: PROVIDER_LEASE,
    secrets: secretsIn(environment),
  };
  await runProgram({ ...options, flags, context, metrics: metrics.kube }, async deps => {
    const { client, log, sources } = deps;
    const kubeSystem = await client.get(namespaces, { name: 'kube-system' }, { signal });
    const clusterId = kubeSystem.metadata.uid ?? '';
    const vendor = openVendor({ flags, environment, clock, onCall: end => metrics.vendorCalled(end) });
    if (!vendor) log.info({}, 'No vendor configured; managing owned Macs only');
    const ownServer = await readOwnServer(sources);
    addControllers({ ...context, ...deps, flags, settings, ownServer, metrics, clusterId }, vendor);
  });
}

const secretsIn = ({ SCW_SECRET_KEY }: ProgramContext['environment']): Secret[] =>
  SCW_SECRET_KEY ? [new Secret('vendor key', SCW_SECRET_KEY)] : [];

import type { Clock } from '@minifleet/clock';
import { namespaces } from '@minifleet/kube';
import { type ProgramContext, type ProgramDeps, runProgram } from '@minifleet/kube/program';
import { Secret } from '@minifleet/secret';
import { readFleetFile } from '@minifleet/spec-file';
import { scalewayVendor, type Vendor } from '@minifleet/vendors';
import { type OwnServer, readOwnServer } from '../control-plane/own-server.ts';
import type { ProbeKubeconfig } from '../control-plane/probe-kubeconfig.ts';
import type { JobDeps } from '../hosts/jobs/run-job.ts';
import { countedVendor, type VendorCallEnd } from '../observe/counted-vendor.ts';
import { createProviderMetrics, type ProviderMetrics } from '../observe/provider-metrics.ts';
import { PROVIDER_FLAG_WRONG, type ProviderFlags } from '../settings/flags.ts';
import { PROVIDER_LEASE, type ProviderSettings } from '../settings/settings.ts';
import { addControllers } from './add-controllers.ts';

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

interface OpenVendorOptions {
  readonly flags: Pick<ProviderFlags, 'vendorApiUrl'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly onCall: (end: VendorCallEnd) => void;
}

/** Opens the vendor if its key is set. Without a key, the provider manages only owned Macs. */
function openVendor({ environment, clock, flags, onCall }: OpenVendorOptions): Vendor | undefined {
  const { SCW_ACCESS_KEY, SCW_SECRET_KEY, SCW_DEFAULT_PROJECT_ID } = environment;
  if (![SCW_ACCESS_KEY, SCW_SECRET_KEY, SCW_DEFAULT_PROJECT_ID].some(Boolean)) return undefined;
  if (!SCW_ACCESS_KEY || !SCW_SECRET_KEY || !SCW_DEFAULT_PROJECT_ID) {
    throw PROVIDER_FLAG_WRONG({
      problem: 'SCW_ACCESS_KEY, SCW_SECRET_KEY and SCW_DEFAULT_PROJECT_ID must be set together, and one is missing',
    });
  }
  const vendor = scalewayVendor({
    accessKey: SCW_ACCESS_KEY,
    secretKey: new Secret('vendor key', SCW_SECRET_KEY),
    projectId: SCW_DEFAULT_PROJECT_ID,
    clock,
    ...(flags.vendorApiUrl === undefined ? {} : { apiUrl: flags.vendorApiUrl }),
  });
  return countedVendor(vendor, onCall);
}

import { createRuntime, silentLog } from '@minifleet/kube';
import { createRedactor } from '@minifleet/secret';
import { PREFIX } from '../../claims/testing/claims-bench.ts';
import type { Vendors } from '../../claims/vendors.ts';
import { tokenIn } from '../../control-plane/kubeconfig-text.ts';
import type { ProbeKubeconfig } from '../../control-plane/probe-kubeconfig.ts';
import { agentFleet } from '../../host-work/testing/bootstrapped.ts';
import { createProviderMetrics } from '../../observe/provider-metrics.ts';
import { addControllers } from '../add-controllers.ts';
import { providerFlags } from '../flags.ts';
import type { ProviderDeps } from '../run-provider.ts';
import { AGENT } from './agent-stand-in.ts';
import { apiHands } from './api-hands.ts';
import type { FleetWorld } from './fleet-world.ts';
import { hostHands } from './host-hands.ts';
import { createLife, type Life, type Meet } from './life.ts';
import { vendorHands } from './vendor-hands.ts';

export interface StartOptions {
  /** Sees every effect before it is had. */
  readonly meet?: Meet;
  /** Version of the agent that hosts must run. */
  readonly agent?: string;
  readonly flags?: readonly string[];
}

/** Every other step has its own table of kills, in packages/host. */
const NO_MORE = { localNetwork: false, guestLeaseSeconds: false, egress: false, logRotation: false } as const;

/** One more provider over a world, as a new process: all its controllers, with caches and jobs of its own. */
export function startProvider(world: FleetWorld, { meet, agent = 'one', flags: more = [] }: StartOptions = {}): Life {
  const { api, clusterId, account, macs, random } = world;
  const life = createLife(world.clock, meet);
  const { clock } = life;
  const client = apiHands(api, account.client, life);
  const vendor = vendorHands(world.vendor, life);
  const vendors: Vendors = { for: async () => vendor, all: () => [vendor] };
  const identity = Buffer.from(random(4)).toString('hex');
  const metrics = createProviderMetrics(clock);
  const log = silentLog;
  const flags = providerFlags.parse([`--default-adopt-pool-prefix=${PREFIX}`, '--inspect-every=24h', ...more]);
  const settings = { ...flags, fleet: { ...agentFleet(`${AGENT}, ${agent}`), ...NO_MORE }, agentVersion: agent };
  const runtime = createRuntime({ name: 'test.dev/provider', identity, client, clock, log, metrics: metrics.kube });
  const server = { url: 'https://api.example:6443', ca: undefined };
  const program: ProviderDeps = {
    ...{ clock, environment: {}, random, identity, version: agent, flags, settings, client, log, metrics, runtime },
    ...{ clusterId, redactor: createRedactor(), ownServer: server, sources: { server: new URL(server.url) } },
    outside: { openTransport: hostHands(options => macs.open(options), life), probe: probeOf(world, life) },
  };
  addControllers(program, vendors);
  // A process that dies does not end in good order: nobody waits for this.
  runtime.run(new AbortController().signal).catch((error: unknown) => {
    throw error;
  });
  return life;
}

/** Answers as the API server would answer a client with this kubeconfig. */
const probeOf =
  ({ account }: FleetWorld, life: Life): ProbeKubeconfig =>
  async text => {
    const known = await life.read(() => account.accepts(tokenIn(text) ?? ''));
    return known
      ? { kind: 'answered', version: 'v1.36.0' }
      : { kind: 'rejected', known: false, why: 'the token is not known' };
  };

import type { AgentSpec } from '@minifleet/host';
import { agentArtifact } from '@minifleet/host/testing';
import { createRuntime, silentLog } from '@minifleet/kube';
import { createRedactor } from '@minifleet/secret';
import { tokenIn } from '../../control-plane/mint-kubeconfig.ts';
import type { ProbeKubeconfig } from '../../control-plane/probe-kubeconfig.ts';
import { POOL } from '../../machines/testing/settings.ts';
import { createProviderMetrics } from '../../observe/provider-metrics.ts';
import { providerFlags } from '../../settings/flags.ts';
import { addControllers } from '../add-controllers.ts';
import type { ProviderDeps } from '../run-provider.ts';
import { AGENT } from './agent-stand-in.ts';
import type { FleetWorld } from './fleet-world.ts';
import { interceptApi } from './intercept-api.ts';
import { interceptHosts } from './intercept-hosts.ts';
import { interceptVendor } from './intercept-vendor.ts';
import { createProgramRun, type EffectHook, type ProgramRun } from './program-run.ts';

export interface ProviderStartOptions {
  /** Called before every effect. */
  readonly onEffect?: EffectHook;
  /** Version of the agent that hosts must run. */
  readonly agent?: string;
  /** Other settings of the agent in the fleet file. */
  readonly agentSettings?: Omit<AgentSpec, 'binary'>;
  readonly flags?: readonly string[];
}

/** Turns optional bootstrap steps off. The kill table in packages/host covers them. */
const OPTIONAL_STEPS_OFF = {
  localNetwork: false,
  guestLeaseSeconds: false,
  egress: false,
  logRotation: false,
} as const;

/** Starts a provider as a new process over a world: all its controllers, with their own caches and jobs. */
export function startProvider(
  world: FleetWorld,
  { onEffect, agent = 'one', agentSettings = {}, flags: more = [] }: ProviderStartOptions = {},
): ProgramRun {
  const { api, clusterId, account, macs, random } = world;
  const run = createProgramRun(world.clock, onEffect);
  const { clock } = run;
  const client = interceptApi(api, account.client, run);
  const vendor = interceptVendor(world.vendor, run);
  const identity = Buffer.from(random(4)).toString('hex');
  const metrics = createProviderMetrics(clock);
  const log = silentLog;
  const flags = providerFlags.parse([`--default-adopt-pool-prefix=${POOL}`, '--inspect-every=24h', ...more]);
  const settings = {
    ...flags,
    fleet: { agent: { binary: agentArtifact(`${AGENT}, ${agent}`), ...agentSettings }, ...OPTIONAL_STEPS_OFF },
    agentVersion: agent,
  };
  const runtime = createRuntime({ name: 'test.dev/provider', identity, client, clock, log, metrics: metrics.kube });
  const server = { url: 'https://api.example:6443', ca: undefined };
  const program: ProviderDeps = {
    ...{
      clock,
      environment: {},
      random,
      identity,
      version: agent,
      flags,
      settings,
      client: runtime.client,
      log,
      metrics,
      runtime,
    },
    ...{ clusterId, redactor: createRedactor(), ownServer: server, sources: { server: new URL(server.url) } },
    outside: { openTransport: interceptHosts(options => macs.open(options), run), probe: probeOf(world, run) },
  };
  addControllers(program, vendor);
  // A killed process does not shut down gracefully, so the test does not wait for this promise.
  runtime.run(new AbortController().signal).catch((error: unknown) => {
    throw error;
  });
  return run;
}

/** Answers as the API server would answer a client with this kubeconfig. */
const probeOf =
  ({ account }: FleetWorld, run: ProgramRun): ProbeKubeconfig =>
  async text => {
    const known = await run.read(() => account.accepts(tokenIn(text) ?? ''));
    return known
      ? { kind: 'answered', version: 'v1.36.0' }
      : { kind: 'rejected', known: false, why: 'the token is not known' };
  };

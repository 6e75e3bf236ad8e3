import { names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { type BuilderSpec, type FleetSpec, type HostSpec, hostPlan, type Plan } from '@minifleet/host';
import { keyOf, keyString } from '@minifleet/kube';
import type { Secret } from '@minifleet/secret';
import type { HostAccess } from '../credentials/credentials.ts';
import { BUILDER_MATERIAL_MISSING } from './errors.ts';

export interface WantedFrom {
  readonly samm: Pick<ScalewayAppleSiliconMachine, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;
  readonly fleet: FleetSpec;
  readonly access: HostAccess;
  /** Only while the host has not joined: afterwards what lies there is the agent's own. */
  readonly kubeconfig?: Secret | undefined;
  /** Only when a builder may have to register. */
  readonly runnerToken?: Secret | undefined;
}

export interface WantedHost {
  readonly plan: Plan;
  /**
   * What status.plan calls it: `<wave>-<plan>`. The wave is the same for all hosts of a fleet of which the same is wanted,
   * the rest is this host's own. Neither depends on what the host is given only to join or to register.
   */
  readonly desired: string;
}

/** All that is wanted of a machine's host, from the fleet's settings and the machine's own fields: there is no other place. */
export function wantedHost(from: WantedFrom): WantedHost {
  const { kubeconfig: _join, ...lasting } = from;
  const spec = wantedSpec(lasting);
  const { labels = {} } = spec.host;
  const wave = hostPlan({ fleet: spec.fleet, host: { name: '', user: '', labels } }).fingerprint.slice(0, WAVE_LENGTH);
  return { plan: hostPlan(wantedSpec(from)), desired: `${wave}-${hostPlan(spec).fingerprint}` };
}

const WAVE_LENGTH = 16;

/** The part of `desired` (or `applied`, or `failed`) that the hosts of a fleet share. */
export const waveOf = (plan: string | undefined): string | undefined => plan?.split('-')[0];

export function wantedSpec(from: WantedFrom): HostSpec {
  const { samm, access, kubeconfig, runnerToken } = from;
  const { providerID, fleetName } = samm.spec;
  const { password, passwordRejected, user } = access;
  return {
    fleet: fleetOf(from),
    host: {
      name: samm.metadata.name,
      user,
      // Tried again it would lock the account (I34).
      ...(password === undefined || passwordRejected ? {} : { password }),
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(providerID === undefined ? {} : { providerId: providerID }),
      ...(runnerToken === undefined ? {} : { runnerToken }),
      labels: {
        [names.labels.runtime]: names.labelValues.runtimeTart,
        ...(fleetName ? { [names.labels.fleet]: fleetName } : {}),
      },
    },
  };
}

/** The fleet's settings under the machine's own fields. 0 is how a machine says that it has no opinion. */
function fleetOf({ samm, fleet }: WantedFrom): FleetSpec {
  const { builder, agent, ...rest } = fleet;
  const { hostCPU, hostMemoryMB, ghActionsRunner } = samm.spec;
  const own = { ...(hostCPU ? { hostCpu: hostCPU } : {}), ...(hostMemoryMB ? { hostMemoryMb: hostMemoryMB } : {}) };
  if (ghActionsRunner && !builder) throw BUILDER_MATERIAL_MISSING({ machine: keyString(keyOf(samm)) });
  return {
    ...rest,
    ...(agent ? { agent: { ...agent, ...own } } : {}),
    // Without the field it is an ordinary host, whatever the provider could make of it.
    ...(ghActionsRunner && builder ? { builder: withRunner(builder, ghActionsRunner) } : {}),
  };
}

type Runner = NonNullable<ScalewayAppleSiliconMachine['spec']['ghActionsRunner']>;

/** Its version is that of the archive at hand: ghRunnerVersion seeds a runner that then updates itself, and we have one seed. */
const withRunner = (builder: BuilderSpec, { ghOrg, ghRunnerLabels }: Runner): BuilderSpec => ({
  ...builder,
  runner: { ...builder.runner, url: `https://github.com/${ghOrg}`, labels: ghRunnerLabels.split(',') },
});

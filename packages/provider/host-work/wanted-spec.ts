import { names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { type BuilderSpec, type FleetSpec, type HostSpec, hostPlan, isOlderRunner, type Plan } from '@minifleet/host';
import { keyOf, keyString } from '@minifleet/kube';
import type { Secret } from '@minifleet/secret';
import type { HostAccess } from '../credentials/credentials.ts';
import { BUILDER_MATERIAL_MISSING, BUILDER_RUNNER_OUTDATED } from './errors.ts';

export interface WantedFrom {
  readonly samm: Pick<ScalewayAppleSiliconMachine, 'apiVersion' | 'kind' | 'metadata' | 'spec'>;
  readonly fleet: FleetSpec;
  readonly access: HostAccess;
  /** Only while the host has not joined: afterwards what lies there is the agent's own. */
  readonly kubeconfig?: Secret | undefined;
  /** Where a builder registers; what the fleet's settings say where no forge is set up. */
  readonly runnerUrl?: string | undefined;
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
function fleetOf({ samm, fleet, runnerUrl }: WantedFrom): FleetSpec {
  const { builder, agent, ...rest } = fleet;
  const { hostCPU, hostMemoryMB, ghActionsRunner } = samm.spec;
  const own = { ...(hostCPU ? { hostCpu: hostCPU } : {}), ...(hostMemoryMB ? { hostMemoryMb: hostMemoryMB } : {}) };
  const machine = keyString(keyOf(samm));
  if (ghActionsRunner && !builder) throw BUILDER_MATERIAL_MISSING({ machine });
  return {
    ...rest,
    ...(agent ? { agent: { ...agent, ...own } } : {}),
    // Without the field it is an ordinary host, whatever the provider could make of it.
    ...(ghActionsRunner && builder ? { builder: withRunner(builder, { ...ghActionsRunner, machine, runnerUrl }) } : {}),
  };
}

type Runner = NonNullable<ScalewayAppleSiliconMachine['spec']['ghActionsRunner']> & {
  readonly machine: string;
  readonly runnerUrl: string | undefined;
};

/**
 * Its version is that of the archive at hand, and it stays so: runners are registered without updates of their own. Newer than asked
 * for is as good, for GitHub only ever refuses old ones, and a newer provider must not put a fleet out of work.
 */
function withRunner(
  builder: BuilderSpec,
  { machine, ghRunnerVersion, ghRunnerLabels, runnerUrl }: Runner,
): BuilderSpec {
  const { version, url } = builder.runner;
  if (ghRunnerVersion && isOlderRunner(version, ghRunnerVersion))
    throw BUILDER_RUNNER_OUTDATED({ machine, asked: ghRunnerVersion, version });
  return { ...builder, runner: { ...builder.runner, url: runnerUrl ?? url, labels: ghRunnerLabels.split(',') } };
}

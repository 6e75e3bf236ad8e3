import { type DesiredHost, type MacHost, names } from '@minifleet/api';
import { type BuilderSpec, type FleetSpec, type HostSpec, hostPlan, isOlderRunner, type Plan } from '@minifleet/host';
import type { Secret } from '@minifleet/secret';
import type { HostAccess } from '../credentials/credentials.ts';
import { BUILDER_MATERIAL_MISSING, BUILDER_RUNNER_OUTDATED } from './errors.ts';

export interface DesiredPlanInput {
  readonly host: MacHost;
  readonly desired: DesiredHost;
  readonly fleet: FleetSpec;
  readonly access: HostAccess;
  /** Only until the Node exists. Later the kubeconfig on the host belongs to the agent. */
  readonly kubeconfig?: Secret | undefined;
  /** Registration URL of a builder (default: the URL in the fleet file). */
  readonly runnerUrl?: string | undefined;
  /** Only if a builder may have to register. */
  readonly runnerToken?: Secret | undefined;
}

export interface DesiredPlan {
  readonly plan: Plan;
  /**
   * Name of the plan in status.plan: `<wave>-<plan>`. The wave is the same for all hosts of a fleet with the same settings. Neither part
   * depends on credentials for joining or registering.
   */
  readonly desired: string;
}

const WAVE_LENGTH = 16;

/** Plan of a host, from the fleet file and the configuration that its machine requests. */
export function desiredPlan(input: DesiredPlanInput): DesiredPlan {
  const { kubeconfig: _kubeconfig, ...lasting } = input;
  const spec = hostSpec(lasting);
  const { labels = {} } = spec.host;
  const wave = hostPlan({ fleet: spec.fleet, host: { name: '', user: '', labels } }).fingerprint.slice(0, WAVE_LENGTH);
  return { plan: hostPlan(hostSpec(input)), desired: `${wave}-${hostPlan(spec).fingerprint}` };
}

/** Part of a plan name that the hosts of a fleet share. */
export const waveOf = (plan: string | undefined): string | undefined => plan?.split('-')[0];

export function hostSpec(input: DesiredPlanInput): HostSpec {
  const { desired, access, kubeconfig, runnerToken } = input;
  const { providerID, fleet } = desired;
  const { password, passwordRejected, user } = access;
  return {
    fleet: fleetSpec(input),
    host: {
      name: desired.nodeName,
      user,
      // Another attempt with a rejected password would lock the account (I34).
      ...(password === undefined || passwordRejected ? {} : { password }),
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(providerID === undefined ? {} : { providerId: providerID }),
      ...(runnerToken === undefined ? {} : { runnerToken }),
      labels: {
        [names.labels.runtime]: names.labelValues.runtimeTart,
        ...(fleet ? { [names.labels.fleet]: fleet } : {}),
      },
    },
  };
}

/** Fleet file with the overrides of the machine. 0 means no override. */
function fleetSpec({ host, desired, fleet, runnerUrl }: DesiredPlanInput): FleetSpec {
  const { builder, agent, ...rest } = fleet;
  const { hostCPU, hostMemoryMB, ghActionsRunner } = desired;
  const overrides = {
    ...(hostCPU ? { hostCpu: hostCPU } : {}),
    ...(hostMemoryMB ? { hostMemoryMb: hostMemoryMB } : {}),
  };
  const { namespace, name } = host.spec.consumerRef ?? {};
  const machine = `${namespace}/${name}`;
  if (ghActionsRunner && !builder) throw BUILDER_MATERIAL_MISSING({ machine });
  return {
    ...rest,
    ...(agent ? { agent: { ...agent, ...overrides } } : {}),
    // A host without this field is an ordinary host, even if the fleet file has builder settings.
    ...(ghActionsRunner && builder ? { builder: withRunner(builder, { ...ghActionsRunner, machine, runnerUrl }) } : {}),
  };
}

type RequestedRunner = NonNullable<DesiredHost['ghActionsRunner']> & {
  readonly machine: string;
  readonly runnerUrl: string | undefined;
};

/** The requested version is a minimum, because GitHub rejects only old versions. The archive in the fleet file decides. */
function withRunner(
  builder: BuilderSpec,
  { machine, ghRunnerVersion, ghRunnerLabels, runnerUrl }: RequestedRunner,
): BuilderSpec {
  const { version } = builder.runner;
  if (ghRunnerVersion && isOlderRunner(version, ghRunnerVersion))
    throw BUILDER_RUNNER_OUTDATED({ machine, asked: ghRunnerVersion, version });
  const url = runnerUrl === undefined ? {} : { url: runnerUrl };
  return { ...builder, runner: { ...builder.runner, ...url, labels: ghRunnerLabels.split(',') } };
}

/**
 * Resources that commands read. Minifleet's own are repeated here because packages/api takes longer to load than most
 * commands take to run. A test compares them.
 */
import type { InfraMachine, MacHost, MacMachine, RunnerPool, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { groups, version } from '@minifleet/api/names';
import type { Condition, KubeObject, Resource } from '@minifleet/kube/client';

export const machines: Resource<ScalewayAppleSiliconMachine> = {
  ...{ group: groups.infrastructure, version },
  kind: 'ScalewayAppleSiliconMachine',
  plural: 'scalewayapplesiliconmachines',
  scope: 'Namespaced',
};

export const macMachines: Resource<MacMachine> = {
  ...{ group: groups.infrastructure, version },
  kind: 'MacMachine',
  plural: 'macmachines',
  scope: 'Namespaced',
};

/** Returns the resource of a machine of either kind. */
export const resourceOf = ({ kind }: { readonly kind: string }): Resource<InfraMachine> =>
  kind === macMachines.kind ? macMachines : machines;

export const macHosts: Resource<MacHost> = {
  ...{ group: groups.minifleet, version },
  kind: 'MacHost',
  plural: 'machosts',
  scope: 'Cluster',
};

export const runnerPools: Resource<RunnerPool> = {
  ...{ group: groups.runners, version },
  kind: 'RunnerPool',
  plural: 'runnerpools',
  scope: 'Namespaced',
};

const clusterApi = { group: 'cluster.x-k8s.io', version: 'v1beta2', scope: 'Namespaced' } as const;

export interface FleetMachineDeployment extends KubeObject {
  spec?: {
    clusterName?: string;
    replicas?: number;
    template?: { spec?: { infrastructureRef?: { kind?: string; name?: string } } };
  };
  status?: {
    replicas?: number;
    readyReplicas?: number;
    upToDateReplicas?: number;
    conditions?: Condition[];
  };
}

export const machineDeployments: Resource<FleetMachineDeployment> = {
  ...clusterApi,
  kind: 'MachineDeployment',
  plural: 'machinedeployments',
};

interface SecretRefContainer {
  readonly image?: string;
  readonly env?: readonly {
    readonly name: string;
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name?: string; readonly key: string } };
  }[];
  readonly envFrom?: readonly { readonly secretRef?: { readonly name?: string } }[];
}

export interface ProgramDeployment extends KubeObject {
  spec?: { replicas?: number; template?: { spec?: { containers?: readonly SecretRefContainer[] } } };
  status?: { readyReplicas?: number; conditions?: { type: string; status: string; message?: string }[] };
}

export const deployments: Resource<ProgramDeployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
};

import type { ApiEndpoint, Condition } from '@minifleet/api';
import type { KubeObject, Resource } from '@minifleet/kube';

/** Cluster API resources with the fields that the provider reads (contract v1beta2). */
export interface Cluster extends KubeObject {
  spec?: {
    paused?: boolean;
    controlPlaneEndpoint?: Partial<ApiEndpoint>;
    infrastructureRef?: Reference;
    controlPlaneRef?: Reference;
  };
  status?: {
    initialization?: { infrastructureProvisioned?: boolean; controlPlaneInitialized?: boolean };
    conditions?: Condition[];
  };
}

export interface Machine extends KubeObject {
  spec: {
    clusterName: string;
    providerID?: string;
    bootstrap?: { dataSecretName?: string };
    infrastructureRef: Reference;
    readinessGates?: { conditionType: string }[];
  };
  status?: { nodeRef?: { name: string }; conditions?: Condition[] };
}

export interface MachineDeployment extends KubeObject {
  spec: { clusterName: string; replicas?: number; template: { spec: Machine['spec'] } };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    availableReplicas?: number;
    conditions?: Condition[];
  };
}

/** No apiVersion: Cluster API finds the served version by the contract label of the CRD. */
interface Reference {
  apiGroup: string;
  kind: string;
  name: string;
}

const core = { group: 'cluster.x-k8s.io', version: 'v1beta2', scope: 'Namespaced' } as const;

export const clusters: Resource<Cluster> = { ...core, kind: 'Cluster', plural: 'clusters' };
export const capiMachines: Resource<Machine> = { ...core, kind: 'Machine', plural: 'machines' };
export const machineDeployments: Resource<MachineDeployment> = {
  ...core,
  kind: 'MachineDeployment',
  plural: 'machinedeployments',
};

/** Cluster API writes an empty host and port 0 for an unknown endpoint. */
export const isCompleteEndpoint = (endpoint: Partial<ApiEndpoint> | undefined): endpoint is Required<ApiEndpoint> =>
  Boolean(endpoint?.host && endpoint.port);

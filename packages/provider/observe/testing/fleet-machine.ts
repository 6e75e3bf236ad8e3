import { names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { MachineDeployment } from '../../cluster-api/kinds.ts';
import { machineNamed } from '../../cluster-api/testing/machine-named.ts';

interface FleetMachine {
  /** Its MachineDeployment. */
  readonly fleet?: string;
  readonly ready?: boolean;
}

const READY = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '' } as const;

export function fleetMachine(name: string, { fleet, ready = false }: FleetMachine = {}): ScalewayAppleSiliconMachine {
  const made = machineNamed(name);
  const labels = fleet === undefined ? {} : { [names.clusterApi.deploymentNameLabel]: fleet };
  return {
    ...made,
    metadata: { ...made.metadata, labels },
    status: { conditions: ready ? [READY] : [] },
  };
}

export const deploymentNamed = (
  name: string,
  replicas: number,
  kind = 'ScalewayAppleSiliconMachineTemplate',
): MachineDeployment => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name, namespace: 'fleet' },
  spec: {
    clusterName: 'c',
    replicas,
    template: { spec: { clusterName: 'c', infrastructureRef: { apiGroup: '', kind, name } } },
  },
});

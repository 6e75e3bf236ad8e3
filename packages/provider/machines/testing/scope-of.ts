import {
  type Condition,
  type InfraMachine,
  machineKinds,
  names,
  type ScalewayAppleSiliconMachine,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import type { MachineScope } from '../machine-scope.ts';

/** A machine called `a` with a providerID, and these conditions, each with its type as the reason. */
export function scopeOf(
  more: Partial<MachineScope> & { readonly spec?: Partial<ScalewayAppleSiliconMachine['spec']> } = {},
  conditions: Readonly<Record<string, Condition['status']>> = {},
): MachineScope {
  const { spec, ...scope } = more;
  const machine: InfraMachine = scalewayAppleSiliconMachine.withDefaults({
    apiVersion: scalewayAppleSiliconMachine.apiVersion,
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { namespace: 'fleet', name: 'a', uid: 'uid-of-a', generation: 1 },
    spec: { providerID: PROVIDER_ID, ...spec },
  });
  machine.status = {
    conditions: Object.entries(conditions).map(([type, status]) => ({
      ...{ type, status, reason: type, message: '' },
      lastTransitionTime: '2030-01-01T00:00:00Z',
      observedGeneration: 1,
    })),
  };
  const [kind] = machineKinds;
  if (!kind) throw new Error('no kind of machine');
  return { machine, kind, ownerMachine: undefined, cluster: undefined, host: undefined, node: undefined, ...scope };
}

export const PROVIDER_ID = 'scw-applesilicon://fr-par-1/5e70e700-0000-4000-8000-000000000001';

export const nodeOf = (
  providerID: string | undefined,
  ready?: { readonly status: string; readonly reason?: string; readonly message?: string },
): Node =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a', labels: { [names.labels.agentVersion]: '1.0.0' } },
    spec: providerID === undefined ? {} : { providerID },
    status: { conditions: ready ? [{ type: 'Ready', ...ready }] : [] },
  }) as unknown as Node;

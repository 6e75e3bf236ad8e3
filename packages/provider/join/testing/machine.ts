import { type Condition, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import { machineNamed } from '../../cluster-api/testing/machine-named.ts';

/** Default providerID of test machines. */
export const PROVIDER_ID = machineNamed('a').spec.providerID ?? '';

/** Condition of a machine whose host matches its plan. */
export const BOOTSTRAPPED: Condition = {
  type: 'HostBootstrapped',
  status: 'True',
  reason: 'HostBootstrapped',
  message: '',
  lastTransitionTime: '2030-01-01T00:00:00Z',
};

/** A bootstrapped machine with overrides. */
export function machineOf(
  name: string,
  said: {
    readonly metadata?: Partial<ScalewayAppleSiliconMachine['metadata']>;
    readonly status?: NonNullable<ScalewayAppleSiliconMachine['status']>;
  } = {},
): ScalewayAppleSiliconMachine {
  const machine = machineNamed(name);
  return {
    ...machine,
    metadata: { ...machine.metadata, ...said.metadata },
    status: said.status ?? {
      conditions: [BOOTSTRAPPED],
      addresses: [
        { type: 'ExternalIP', address: '203.0.113.1' },
        { type: 'InternalIP', address: '10.32.0.9' },
        { type: 'InternalIP', address: '2001:0DB8::0001' },
      ],
    },
  };
}

export const nodeOf = (name: string, providerID = PROVIDER_ID): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [names.labels.agentVersion]: '1.0.0' } },
  spec: { providerID },
});

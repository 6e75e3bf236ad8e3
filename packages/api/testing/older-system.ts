import { macHost } from '../kinds/mac-host.ts';

// Objects as the system of the seeds wrote them, before any field of ours existed.

const group = 'infrastructure.cluster.x-k8s.io';

export const oldestTemplate = {
  apiVersion: `${group}/v1alpha1`,
  kind: 'ScalewayAppleSiliconMachineTemplate',
  metadata: { name: 'oldest', namespace: 'default' },
  spec: {
    template: {
      spec: {
        type: 'M2-L',
        zone: 'fr-par-1',
        os: 'macos-tahoe-26.3',
        fleetName: 'runners',
        adoptPoolPrefix: 'tuist-pool-',
      },
    },
  },
};

/** Its CRD as far as it matters: the same names, and a status that ours no longer describes. */
export const olderCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `scalewayapplesiliconmachines.${group}`, labels: { 'cluster.x-k8s.io/v1beta1': 'v1alpha1' } },
  spec: {
    group,
    scope: 'Namespaced',
    names: {
      kind: 'ScalewayAppleSiliconMachine',
      listKind: 'ScalewayAppleSiliconMachineList',
      plural: 'scalewayapplesiliconmachines',
      singular: 'scalewayapplesiliconmachine',
      shortNames: ['samm'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

export const olderMachine = {
  apiVersion: `${group}/v1alpha1`,
  kind: 'ScalewayAppleSiliconMachine',
  metadata: { name: 'leftover', namespace: 'default' },
  spec: {
    ...oldestTemplate.spec.template.spec,
    providerID: `scw-applesilicon://fr-par-1/${macHost.example.metadata.name}`,
  },
};

/** Conditions of contract v1beta1: a True one has neither reason nor message, which metav1.Condition requires. */
export const olderStatus = {
  ready: true,
  serverID: macHost.example.metadata.name,
  phase: 'Ready',
  hostConfigHash: 'f00d',
  bootstrapAttempts: 0,
  addresses: [{ type: 'ExternalIP', address: '203.0.113.7' }],
  conditions: [
    { type: 'Provisioned', status: 'True', lastTransitionTime: '2026-05-01T00:00:00Z' },
    {
      type: 'Bootstrapped',
      status: 'False',
      severity: 'Error',
      reason: 'BootstrapFailed',
      lastTransitionTime: '2026-05-01T00:00:00Z',
    },
  ],
};

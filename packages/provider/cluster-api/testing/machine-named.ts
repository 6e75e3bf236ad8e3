import { type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { memoryId } from '@minifleet/vendors/testing';

/** A machine that holds host 1 of its vendor, with overrides. */
export const machineNamed = (
  name: string,
  spec: Partial<ScalewayAppleSiliconMachine['spec']> = {},
): ScalewayAppleSiliconMachine =>
  scalewayAppleSiliconMachine.withDefaults({
    apiVersion: scalewayAppleSiliconMachine.apiVersion,
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { namespace: 'fleet', name, uid: `uid-of-${name}` },
    spec: {
      fleetName: 'runners',
      claimRef: { name: memoryId(1), epoch: 1 },
      providerID: `scw-applesilicon://fr-par-1/${memoryId(1)}`,
      ...spec,
    },
  });

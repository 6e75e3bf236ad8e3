import { type ScalewayAppleSiliconMachine, scalewayAppleSiliconMachine } from '@minifleet/api';
import { memoryId } from '@minifleet/vendors/testing';

/** A machine that holds host number 1 of its vendor, but for what is said. */
export function machineNamed(
  name: string,
  spec: Partial<ScalewayAppleSiliconMachine['spec']> = {},
): ScalewayAppleSiliconMachine {
  const made = scalewayAppleSiliconMachine.withDefaults({
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
  return made;
}

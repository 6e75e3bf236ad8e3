import { externalControlPlane } from './kinds/external-control-plane.ts';
import { hostClaim } from './kinds/host-claim.ts';
import { macHost } from './kinds/mac-host.ts';
import { runnerPool } from './kinds/runner-pool.ts';
import { scalewayAppleSiliconCluster } from './kinds/scaleway-apple-silicon-cluster.ts';
import { scalewayAppleSiliconMachine } from './kinds/scaleway-apple-silicon-machine.ts';
import { scalewayAppleSiliconMachineTemplate } from './kinds/scaleway-apple-silicon-machine-template.ts';
import type { Kind } from './schema/define-kind.ts';

/** All Minifleet CRDs. */
export const kinds: readonly Kind[] = [
  scalewayAppleSiliconMachine,
  scalewayAppleSiliconMachineTemplate,
  scalewayAppleSiliconCluster,
  externalControlPlane,
  hostClaim,
  macHost,
  runnerPool,
];

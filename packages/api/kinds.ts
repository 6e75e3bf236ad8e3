import { externalControlPlane } from './kinds/external-control-plane.ts';
import { macCluster, scalewayAppleSiliconCluster } from './kinds/infra-clusters.ts';
import { macHost } from './kinds/mac-host.ts';
import { macMachine } from './kinds/mac-machine.ts';
import { macMachineTemplate, scalewayAppleSiliconMachineTemplate } from './kinds/machine-templates.ts';
import { runnerPool } from './kinds/runner-pool.ts';
import { scalewayAppleSiliconMachine } from './kinds/scaleway-apple-silicon-machine.ts';
import type { Kind } from './schema/define-kind.ts';

/** All Minifleet CRDs. */
export const kinds: readonly Kind[] = [
  scalewayAppleSiliconMachine,
  scalewayAppleSiliconMachineTemplate,
  scalewayAppleSiliconCluster,
  macMachine,
  macMachineTemplate,
  macCluster,
  externalControlPlane,
  macHost,
  runnerPool,
];

import type { Phase } from './phase.ts';
import { bootstrapHost } from './phases/bootstrap-host.ts';
import { builderRunnerOnline } from './phases/builder-runner.ts';
import { claimHost } from './phases/claim-host.ts';
import { clusterReady } from './phases/cluster-ready.ts';
import { credentialsReady } from './phases/credentials.ts';
import { joinMaterialReady } from './phases/join-material.ts';
import { nodeReady } from './phases/node-ready.ts';
import { osImageCurrent } from './phases/os-image.ts';
import { servingCertificateReady } from './phases/serving-certificate.ts';

/** The way to a Ready Node, in the order of the conditions. */
export const provisionPhases: readonly Phase[] = [
  clusterReady,
  claimHost,
  osImageCurrent,
  credentialsReady,
  joinMaterialReady,
  bootstrapHost,
  builderRunnerOnline,
  nodeReady,
  servingCertificateReady,
];

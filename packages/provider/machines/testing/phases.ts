import type { MachineConditionType, Phase } from '../phase.ts';
import { passed } from '../phase.ts';
import { builderRunnerOnline } from '../phases/builder-runner.ts';
import { claimHost } from '../phases/claim-host.ts';
import { clusterReady } from '../phases/cluster-ready.ts';
import { nodeReady } from '../phases/node-ready.ts';
import { osImageCurrent } from '../phases/os-image.ts';

/** A phase that has nothing to say, in the place of one that is tested elsewhere. */
const passing = (condition: MachineConditionType): Phase =>
  ({ condition, run: async () => passed(condition) }) as Phase;

/** All phases in their order; those that work on the host or let it join pass. */
export const PHASES: readonly Phase[] = [
  clusterReady,
  claimHost,
  osImageCurrent,
  passing('CredentialsReady'),
  passing('JoinMaterialReady'),
  passing('HostBootstrapped'),
  builderRunnerOnline,
  nodeReady,
  passing('ServingCertificateReady'),
];

/** The same with another in the place of the one of its condition. */
export const phasesWith = (other: Phase): readonly Phase[] =>
  PHASES.map(one => (one.condition === other.condition ? other : one));

export { CLUSTER_API_MISSING } from './errors.ts';
export { coreMachines, ownerOf, type Samm, saying } from './machines.ts';
export { hostClaims, type MachineDeployment, machineDeployments, machines, runnerPools } from './resources.ts';
export { tellTrouble } from './tell-trouble.ts';

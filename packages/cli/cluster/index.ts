export { CLUSTER_API_MISSING } from './errors.ts';
export { explainApiError } from './explain-api-error.ts';
export { conditionText, ownerMachines, ownerOf, type ScalewayAppleSiliconMachine } from './machines.ts';
export {
  type FleetMachineDeployment,
  macHosts,
  machineDeployments,
  machines,
  macMachines,
  runnerPools,
} from './resources.ts';

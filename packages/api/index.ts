export { fleetKeyFiles, fleetKeyLabels, fleetKeySecret } from './fleet-key.ts';
export { renderCrds } from './generate-crds.ts';
export { hostCredentialKeys, hostCredentialsSecret } from './host-credentials.ts';
export * from './kinds/external-control-plane.ts';
export * from './kinds/gh-actions-runner.ts';
export { serverIDPattern } from './kinds/host-binding.ts';
export type { HostJobStatus, HostPlan, HostStep } from './kinds/host-journal.ts';
export * from './kinds/infra-clusters.ts';
export * from './kinds/mac-host.ts';
export { hostConditions, hostReasons } from './kinds/mac-host-conditions.ts';
export type { HostSource } from './kinds/mac-host-source.ts';
export type { ConsumerRef, DesiredHost, MacHostSpec } from './kinds/mac-host-spec.ts';
export {
  type HostContact,
  type HostFailureRecord,
  type HostRelease,
  type HostRemedies,
  type HostState,
  hostStates,
  type MacHostStatus,
} from './kinds/mac-host-status.ts';
export { type MacMachine, type MacMachineStatus, macMachine } from './kinds/mac-machine.ts';
export * from './kinds/machine-conditions.ts';
export * from './kinds/machine-templates.ts';
export { chooseImage, isOfFamily } from './kinds/macos-image.ts';
export * from './kinds/runner-pool.ts';
export * from './kinds/runner-pool-conditions.ts';
export type { RunnerPoolSpec } from './kinds/runner-pool-spec.ts';
export {
  type RecordedEnd,
  type RunnerOutcome,
  type RunnerPoolStatus,
  runnerOutcomes,
} from './kinds/runner-pool-status.ts';
export * from './kinds/scaleway-apple-silicon-machine.ts';
export type { ScalewayAppleSiliconMachineSpecInput } from './kinds/scaleway-apple-silicon-machine-spec.ts';
export { kinds } from './kinds.ts';
export * from './machine-kinds.ts';
export * as names from './names.ts';
export * from './pods/judge-stuck-pod.ts';
export { agentOf, isHeldForVM, type ObservedNode, type ObservedPod } from './pods/observed-pod.ts';
export type { ApiEndpoint, MachineAddress } from './schema/api-endpoint.ts';
export type { Condition, ConditionCatalogue, ReasonOf } from './schema/condition-catalogue.ts';
export type { Crd } from './schema/crd.ts';
export type { Kind, KindObject, KindResource, Manifest, ObjectOf } from './schema/define-kind.ts';
export type { Quantity } from './schema/kubernetes.ts';
export type { ObjectMeta, OwnerReference } from './schema/object-meta.ts';
export * from './unmanaged-servers.ts';

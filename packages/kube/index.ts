/** Controllers in TypeScript: see README.md. Everything exported here is public API. */

export * from '@minifleet/errors';
export * from './access/rbac-objects.ts';
export * from './client.ts';
export {
  type Context,
  type ControllerDefinition,
  changedBesidesStatus,
  defineController,
  mapped,
  owned,
  type WatchedResource,
} from './controller/definition.ts';
export * from './controller/outcome.ts';
export { defined } from './defined.ts';
export { createEventRecorder, type EventNote, type EventRecorder } from './events/recorder.ts';
export type { Cache, IndexBy } from './informer/cache.ts';
export { createInformer, type Informer, type InformerOptions, type ObjectChange } from './informer/informer.ts';
export { type ElectionOptions, LeadershipLost, runAsLeader } from './leader-election/leader-election.ts';
export { type Alert, runbookOf } from './observe/alert.ts';
export * from './observe/health-server.ts';
export { errorFields, type Log, type LogLevel, silentLog } from './observe/log.ts';
export {
  type MetricDefinition,
  metricsNamed,
  type RegisteredMetrics,
  registerMetrics,
} from './observe/metric-definition.ts';
export { countRequests, createMetrics, type Metrics } from './observe/metrics.ts';
export { patchChanges } from './patch/patch-changes.ts';
export { patching } from './patch/patching.ts';
export { LEAN_PROCESS } from './program/lean-process.ts';
export { parseQuantity, quantityOr } from './quantity.ts';
export { createWorkQueue, type Priority, type WorkQueue } from './queue/work-queue.ts';
export { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts';

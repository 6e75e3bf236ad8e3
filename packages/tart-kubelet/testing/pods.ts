/** Internals of packages/tart-kubelet/pods that tests, benchmarks and generators of other packages use. */
export {
  containerFields,
  hookFields,
  lifecycleFields,
  mountFields,
  portFields,
  probeFields,
  resourceFields,
  securityFields,
} from '../pods/admission/container-fields.ts';
export { type FieldRule, isGiven } from '../pods/admission/field-rule.ts';
export { podFields, podSecurityFields } from '../pods/admission/pod-fields.ts';
export { refuseFields } from '../pods/admission/refuse-fields.ts';
export {
  emptyDirFields,
  projectionFields,
  variableSourceFields,
  volumeFields,
} from '../pods/admission/volume-fields.ts';
export { createPods } from '../pods/pods.ts';
export { createSlotQueue } from '../pods/slot-queue.ts';

import type { Pod } from '@minifleet/kube';
import { hasProcess } from '../environment/environment-share.ts';
import {
  containerFields,
  hookFields,
  lifecycleFields,
  mountFields,
  portFields,
  probeFields,
  resourceFields,
  securityFields,
} from './container-fields.ts';
import { type FieldRule, type Refusal, refusalOf } from './field-rule.ts';
import { podFields, podSecurityFields } from './pod-fields.ts';
import {
  emptyDirFields,
  processVariableSourceFields,
  projectionFields,
  variableSourceFields,
  volumeFields,
} from './volume-fields.ts';

type CheckedSpec = NonNullable<Pod['spec']>;
type CheckedContainer = CheckedSpec['containers'][number];
/** An object of the spec, the rules for its fields, and its path. */
type CheckedObject = readonly [object | undefined, Readonly<Record<string, FieldRule>>, string];

/** Returns a refusal for the first unsupported field of the spec; undefined if all are supported. */
export function refuseFields(spec: CheckedSpec): Refusal | undefined {
  for (const [object, rules, path] of checkedObjects(spec)) {
    const refusal = object && refusalOf(object, rules, path);
    if (refusal) return refusal;
  }
  return undefined;
}

function checkedObjects(spec: CheckedSpec): CheckedObject[] {
  return [
    [spec, podFields, 'spec'],
    [spec.securityContext, podSecurityFields, 'spec.securityContext'],
    [spec.resources, resourceFields, 'spec.resources'],
    ...(spec.volumes ?? []).flatMap((volume, index): CheckedObject[] => [
      [volume, volumeFields, `spec.volumes[${index}]`],
      [volume.emptyDir, emptyDirFields, `spec.volumes[${index}].emptyDir`],
      ...(volume.projected?.sources ?? []).map(
        (source): CheckedObject => [source, projectionFields, `spec.volumes[${index}].projected.sources`],
      ),
    ]),
    ...spec.containers.flatMap((container, index) => containerObjects(container, `spec.containers[${index}]`)),
  ];
}

function containerObjects(container: CheckedContainer, path: string): CheckedObject[] {
  const { lifecycle } = container;
  const variableSources = hasProcess(container) ? processVariableSourceFields : variableSourceFields;
  const each = (list: readonly object[] | undefined, rules: CheckedObject[1], field: string): CheckedObject[] =>
    (list ?? []).map((object): CheckedObject => [object, rules, `${path}.${field}`]);
  return [
    [container, containerFields, path],
    [container.securityContext, securityFields, `${path}.securityContext`],
    [container.resources, resourceFields, `${path}.resources`],
    ...each(container.ports, portFields, 'ports'),
    ...each(container.volumeMounts, mountFields, 'volumeMounts'),
    ...(container.env ?? []).map(
      ({ name, valueFrom }): CheckedObject => [valueFrom, variableSources, `${path}.env.${name}.valueFrom`],
    ),
    [lifecycle, lifecycleFields, `${path}.lifecycle`],
    [lifecycle?.preStop, hookFields, `${path}.lifecycle.preStop`],
    [lifecycle?.postStart, hookFields, `${path}.lifecycle.postStart`],
    [container.startupProbe, probeFields, `${path}.startupProbe`],
    [container.readinessProbe, probeFields, `${path}.readinessProbe`],
    [container.livenessProbe, probeFields, `${path}.livenessProbe`],
  ];
}

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

type Spec = NonNullable<Pod['spec']>;
type Container = Spec['containers'][number];
/** An object of the spec, what may stand in it, and where it is. */
type Part = readonly [object | undefined, Readonly<Record<string, FieldRule>>, string];

/** The first thing the Pod asks for that cannot be done here; undefined when it may run. */
export function refuseFields(spec: Spec): Refusal | undefined {
  for (const [object, rules, path] of partsOf(spec)) {
    const refusal = object && refusalOf(object, rules, path);
    if (refusal) return refusal;
  }
  return undefined;
}

function partsOf(spec: Spec): Part[] {
  return [
    [spec, podFields, 'spec'],
    [spec.securityContext, podSecurityFields, 'spec.securityContext'],
    [spec.resources, resourceFields, 'spec.resources'],
    ...(spec.volumes ?? []).flatMap((volume, index): Part[] => [
      [volume, volumeFields, `spec.volumes[${index}]`],
      [volume.emptyDir, emptyDirFields, `spec.volumes[${index}].emptyDir`],
      ...(volume.projected?.sources ?? []).map(
        (source): Part => [source, projectionFields, `spec.volumes[${index}].projected.sources`],
      ),
    ]),
    ...spec.containers.flatMap((container, index) => partsOfContainer(container, `spec.containers[${index}]`)),
  ];
}

function partsOfContainer(container: Container, path: string): Part[] {
  const { lifecycle } = container;
  const variableSources = hasProcess(container) ? processVariableSourceFields : variableSourceFields;
  const each = (list: readonly object[] | undefined, rules: Part[1], field: string): Part[] =>
    (list ?? []).map((object): Part => [object, rules, `${path}.${field}`]);
  return [
    [container, containerFields, path],
    [container.securityContext, securityFields, `${path}.securityContext`],
    [container.resources, resourceFields, `${path}.resources`],
    ...each(container.ports, portFields, 'ports'),
    ...each(container.volumeMounts, mountFields, 'volumeMounts'),
    ...(container.env ?? []).map(
      ({ name, valueFrom }): Part => [valueFrom, variableSources, `${path}.env.${name}.valueFrom`],
    ),
    [lifecycle, lifecycleFields, `${path}.lifecycle`],
    [lifecycle?.preStop, hookFields, `${path}.lifecycle.preStop`],
    [lifecycle?.postStart, hookFields, `${path}.lifecycle.postStart`],
    [container.startupProbe, probeFields, `${path}.startupProbe`],
    [container.readinessProbe, probeFields, `${path}.readinessProbe`],
    [container.livenessProbe, probeFields, `${path}.livenessProbe`],
  ];
}

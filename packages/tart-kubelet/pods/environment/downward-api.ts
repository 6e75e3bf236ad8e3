import type { Quantity } from '@minifleet/api';
import { type Pod, parseQuantity, quantityOr } from '@minifleet/kube';

/** Input of a fieldRef besides the Pod. */
interface FieldContext {
  readonly hostAddresses: readonly string[];
  readonly podAddress: string;
}

type FieldReader = (pod: Pod, context: FieldContext) => string;

const FIELDS: Readonly<Record<string, FieldReader>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
  'metadata.uid': ({ metadata }) => metadata.uid ?? '',
  'metadata.labels': ({ metadata }) => formatMap(metadata.labels),
  'metadata.annotations': ({ metadata }) => formatMap(metadata.annotations),
  'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
  'spec.serviceAccountName': ({ spec }) => spec?.serviceAccountName ?? 'default',
  'status.hostIP': (_, { hostAddresses }) => hostAddresses[0] ?? '',
  'status.hostIPs': (_, { hostAddresses }) => hostAddresses.join(','),
  'status.podIP': (_, { podAddress }) => podAddress,
  'status.podIPs': (_, { podAddress }) => podAddress,
};

/** Value of a downward API field; undefined for an unknown field. */
export function fieldValue(pod: Pod, fieldPath: string, context: FieldContext): string | undefined {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath) ?? [];
  if (map && key !== undefined) return pod.metadata[map as 'labels' | 'annotations']?.[key] ?? '';
  return FIELDS[fieldPath]?.(pod, context);
}

/** `key="escaped value"`, a line each, sorted: the format of kubelet's downward API files. */
const formatMap = (map: Readonly<Record<string, string>> = {}): string =>
  Object.keys(map)
    .sort()
    .map(key => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');

interface ResourceField {
  readonly resource: string;
  readonly containerName?: string;
  readonly divisor?: Quantity;
}

/** Value of a resourceFieldRef, rounded up to the divisor. An unset limit yields the node's allocatable amount. */
export function resourceFieldValue(
  pod: Pod,
  field: ResourceField,
  allocatable: Readonly<Record<string, Quantity>>,
): string | undefined {
  const containers = pod.spec?.containers ?? [];
  const container = containers.find(({ name }) => name === (field.containerName ?? containers[0]?.name));
  const [, kind, name = ''] = /^(limits|requests)\.(.+)$/.exec(field.resource) ?? [];
  if (!container || !kind) return undefined;
  const asked = container.resources?.[kind as 'limits' | 'requests']?.[name];
  const otherwise = kind === 'limits' ? quantityOr(allocatable[name], 0) : 0;
  const divisor = quantityOr(field.divisor, 1) || 1;
  return String(Math.ceil((asked === undefined ? otherwise : parseQuantity(asked)) / divisor));
}

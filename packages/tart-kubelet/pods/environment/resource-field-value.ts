import type { Quantity } from '@minifleet/api';
import { type Pod, parseQuantity, quantityOr } from '@minifleet/kube';

export interface ResourceField {
  readonly resource: string;
  readonly containerName?: string;
  readonly divisor?: Quantity;
}

/** A resourceFieldRef as text, rounded up to the divisor; a limit that is not set is what the node has. */
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

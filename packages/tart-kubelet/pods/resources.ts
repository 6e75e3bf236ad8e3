/** Resource requests of a Pod, for admission, guest size and the downward API. */
import type { Quantity } from '@minifleet/api';
import { defined, type Pod, parseQuantity } from '@minifleet/kube';

export type ResourceAmounts = Readonly<Record<string, number>>;

type PodSpec = NonNullable<Pod['spec']>;
type Quantities = Readonly<Record<string, Quantity>> | undefined;

const amounts = (quantities: Quantities): ResourceAmounts =>
  Object.fromEntries(Object.entries(quantities ?? {}).map(([name, quantity]) => [name, parseQuantity(quantity)]));

export function add(one: ResourceAmounts, other: ResourceAmounts): ResourceAmounts {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map(name => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

/** Sums the requests of all containers and the overhead; Pod-level requests take precedence. */
export function requestsOf(spec: PodSpec): ResourceAmounts {
  const containers = spec.containers.map(({ resources }) => ({
    ...amounts(resources?.limits),
    ...amounts(resources?.requests),
  }));
  const total = { ...containers.reduce(add, {}), ...amounts(spec.resources?.requests) };
  return add(total, amounts(spec.overhead));
}

interface GuestSize {
  readonly cpus?: number;
  readonly memoryMegabytes?: number;
}

/** Limits first, then requests, in whole cores and megabytes; without either, the guest keeps the size of its image. */
export function guestSizeOf(spec: PodSpec): GuestSize {
  const ofContainer = spec.containers[0]?.resources;
  const requested: ResourceAmounts = {
    ...amounts(spec.resources?.requests),
    ...amounts(spec.resources?.limits),
    ...amounts(ofContainer?.requests),
    ...amounts(ofContainer?.limits),
  };
  return defined({
    cpus: Math.floor(requested['cpu'] ?? 0) || undefined,
    memoryMegabytes: Math.floor((requested['memory'] ?? 0) / 2 ** 20) || undefined,
  });
}

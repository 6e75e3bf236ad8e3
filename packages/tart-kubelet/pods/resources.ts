/** What a Pod asks of its host: for admission, for the size of its guest, for the downward API. */
import type { Quantity } from '@minifleet/api';
import { defined, type Pod, parseQuantity } from '@minifleet/kube';

export type Amounts = Readonly<Record<string, number>>;

type Spec = NonNullable<Pod['spec']>;
type Quantities = Readonly<Record<string, Quantity>> | undefined;

const amounts = (quantities: Quantities): Amounts =>
  Object.fromEntries(Object.entries(quantities ?? {}).map(([name, quantity]) => [name, parseQuantity(quantity)]));

export function add(one: Amounts, other: Amounts): Amounts {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map(name => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

/** Requests of all containers with the overhead; what is set for the Pod as a whole wins. */
export function requestsOf(spec: Spec): Amounts {
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

/** Limits first, else requests, in whole cores and megabytes; nothing asked keeps what the image says. */
export function guestSizeOf(spec: Spec): GuestSize {
  const ofContainer = spec.containers[0]?.resources;
  const wanted: Amounts = {
    ...amounts(spec.resources?.requests),
    ...amounts(spec.resources?.limits),
    ...amounts(ofContainer?.requests),
    ...amounts(ofContainer?.limits),
  };
  return defined({
    cpus: Math.floor(wanted['cpu'] ?? 0) || undefined,
    memoryMegabytes: Math.floor((wanted['memory'] ?? 0) / 2 ** 20) || undefined,
  });
}

import { createHash } from 'node:crypto';
import type { ScalewayAppleSiliconMachine } from '@minifleet/api';

export interface KeyNames {
  /** Of the Secret, in the machine's namespace. */
  readonly secret: string;
  /** At the vendor, and in the key's comment. */
  readonly vendor: string;
  readonly fleet: string | undefined;
}

type KeyOwner = Pick<ScalewayAppleSiliconMachine, 'metadata' | 'spec'>;

/**
 * Where a machine's key is kept. Machines of one fleet share it; one without a fleet has its own. At the vendor a key of ours gives
 * way to the next of its name: so the name says the cluster, or fleets of the same name in two clusters would take each other's key.
 */
export function keyNames({ metadata, spec }: KeyOwner, clusterId: string): KeyNames {
  const fleet = spec.fleetName || undefined;
  const name = fleet ?? `${metadata.namespace}-${metadata.name}`;
  return { secret: `${objectName(name)}-ssh`, vendor: `tuist-capi-${name}-${clusterId.slice(0, 8)}`, fleet };
}

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A fleet is named as a label may be, which is more than an object may: what had to change is told apart by a hash. */
function objectName(name: string): string {
  if (OBJECT_NAME.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${digest}`;
}

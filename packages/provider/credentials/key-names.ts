import { createHash } from 'node:crypto';
import type { ScalewayAppleSiliconMachine } from '@minifleet/api';

export interface KeyNames {
  /** Name of the Secret, in the namespace of the machine. */
  readonly secret: string;
  /** Name at the vendor, and comment of the key. */
  readonly vendor: string;
  readonly fleet: string | undefined;
}

type KeyOwner = Pick<ScalewayAppleSiliconMachine, 'metadata' | 'spec'>;

/**
 * Names of the SSH key of a machine. Machines of one fleet share a key; a machine without a fleet has its own. At the vendor, a key is
 * replaced by the next key with its name. So the name contains the cluster id, otherwise equal fleet names in two clusters would replace each other's key.
 */
export function keyNames({ metadata, spec }: KeyOwner, clusterId: string): KeyNames {
  const fleet = spec.fleetName || undefined;
  const name = fleet ?? `${metadata.namespace}-${metadata.name}`;
  return { secret: `${objectName(name)}-ssh`, vendor: `tuist-capi-${name}-${clusterId.slice(0, 8)}`, fleet };
}

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A fleet name is a label value, which allows more characters than an object name; a hash keeps changed names unique. */
function objectName(name: string): string {
  if (OBJECT_NAME.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${digest}`;
}

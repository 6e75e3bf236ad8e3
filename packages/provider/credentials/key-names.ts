import { createHash } from 'node:crypto';
import type { MacHost } from '@minifleet/api';

export interface KeyNames {
  /** Namespace of the Secret: that of the machine. */
  readonly namespace: string;
  /** Name of the Secret. */
  readonly secret: string;
  /** Name at the vendor, and comment of the key. */
  readonly vendor: string;
  readonly fleet: string | undefined;
}

/**
 * Names of the SSH key of a held host. Machines of one fleet share a key; a machine without a fleet has its own. At the vendor, a key is
 * replaced by the next key with its name. So the name contains the cluster id, otherwise equal fleet names in two clusters would replace each other's key.
 */
export function keyNames({ spec }: Pick<MacHost, 'spec'>, clusterId: string): KeyNames {
  const { namespace = '', name: machine = '' } = spec.consumerRef ?? {};
  const fleet = spec.desired?.fleet || undefined;
  const name = fleet ?? `${namespace}-${machine}`;
  return { namespace, secret: `${objectName(name)}-ssh`, vendor: `tuist-capi-${name}-${clusterId.slice(0, 8)}`, fleet };
}

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A fleet name is a label value, which allows more characters than an object name; a hash keeps changed names unique. */
function objectName(name: string): string {
  if (OBJECT_NAME.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${digest}`;
}

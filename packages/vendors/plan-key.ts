import type { FleetKey, RegisteredKey } from './vendor.ts';

/** SSH key at the vendor. Names are not unique there. */
export interface VendorKey extends FleetKey {
  readonly id: string;
  /** Disabled by an operator: hosts do not get it. */
  readonly disabled?: boolean;
}

/** Changes after which hosts get exactly this key, and no other key of its name. */
interface KeyPlan {
  /** Absent if the key must be created. */
  readonly present?: VendorKey;
  /** Keys of the same name with other material. A host with one of them locks the fleet out (2026-04-29). */
  readonly stale: readonly VendorKey[];
  readonly outcome: RegisteredKey['outcome'];
}

export function planKey(wanted: FleetKey, keys: readonly VendorKey[]): KeyPlan {
  const same = keys.filter(key => material(key.publicKey) === material(wanted.publicKey));
  const present = same.find(key => !key.disabled) ?? same[0];
  const stale = keys.filter(key => key.name === wanted.name && !same.includes(key));
  const needed = present ? 'present' : 'created';
  return { ...(present && { present }), stale, outcome: stale.length > 0 ? 'replaced' : needed };
}

/** Type and blob. Vendors drop the comment, and equal names do not mean equal material. */
const material = (publicKey: string): string => publicKey.trim().split(/\s+/).slice(0, 2).join(' ');

import type { FleetKey, RegisteredKey } from './vendor.ts';

/** A key as a vendor keeps it. Names are not unique there. */
export interface VendorKey extends FleetKey {
  readonly id: string;
  /** A person took it out of use: hosts do not get it. */
  readonly disabled?: boolean;
}

/** What it takes so that exactly this key, and no other of its name, goes on hosts. */
export interface KeyPlan {
  /** Absent when it has to be created. */
  readonly present?: VendorKey;
  /** Keys of the same name with other material: a host that got one of them locks the fleet out (2026-04-29). */
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

/** Type and blob. Vendors drop the comment, and a name says nothing of the material behind it. */
const material = (publicKey: string): string => publicKey.trim().split(/\s+/).slice(0, 2).join(' ');

import type { Vendor } from '../vendor.ts';

export type CallName = Exclude<keyof Vendor, 'name' | 'can'>;

/** A call as it was made; what it does not take is absent. */
export interface VendorCall {
  readonly call: CallName;
  readonly zone?: string;
  readonly id?: string;
  /** The new name of a server, or the name of a key. */
  readonly name?: string;
  readonly image?: string;
  readonly type?: string;
}

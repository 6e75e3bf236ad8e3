import type { ServerRef, Vendor, VendorCapabilities } from '../../vendor.ts';
import type { CallName } from '../vendor-call.ts';

/** A driver on a vendor that the test rules: what people do there by hand, and what breaks on the way. */
export interface VendorBench {
  readonly vendor: Vendor;
  readonly zone: string;
  readonly otherZone: string;
  /** One more Mac, ready for work. */
  readonly addServer: (name: string, zone?: string) => Promise<ServerRef>;
  /** The Mac is given back, or taken out of the list. */
  readonly removeServer: (id: string) => Promise<void>;
  /** Completes the operation on the server; only for vendors that support operations. */
  readonly finish: (id: string) => Promise<void>;
  /** `lost`: the next one has its effect and no answer · `down`: every one fails from now on · `hang`: no answer comes. */
  readonly strike: (call: CallName, fault: 'lost' | 'down' | 'hang') => void;
  readonly heal: () => void;
  /** The keys the vendor puts on the hosts it installs. */
  readonly keys: () => readonly string[];
  /** May not be found in any error. */
  readonly secrets: readonly string[];
  readonly close: () => Promise<void>;
}

export interface VendorContract {
  readonly name: string;
  readonly can: VendorCapabilities;
  /** Calls that send something and can be struck; the others answer out of themselves. */
  readonly sends: readonly CallName[];
  readonly open: () => Promise<VendorBench>;
}

/** Declares a test with a bench of its own. */
export type BenchTest = (sentence: string, body: (bench: VendorBench) => Promise<void>) => void;

export type Topic = (test: BenchTest, contract: VendorContract) => void;

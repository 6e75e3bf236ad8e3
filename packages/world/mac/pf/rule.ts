import type { AddressRange } from './network.ts';

/** pf keeps one list of rules per section and anchor, and rejects a file with sections out of order. */
export type PfSection = 'scrub' | 'nat' | 'rdr' | 'binat' | 'dummynet' | 'filter';

export const SECTIONS: readonly PfSection[] = ['scrub', 'nat', 'rdr', 'binat', 'dummynet', 'filter'];

export type PfHost =
  | { readonly kind: 'any' }
  | { readonly kind: 'table'; readonly name: string; readonly negated: boolean }
  | { readonly kind: 'network'; readonly network: AddressRange; readonly negated: boolean }
  /** `(en0)`, `en0`, `en0:network`, `self`. */
  | { readonly kind: 'interface'; readonly text: string; readonly negated: boolean };

export interface PortRange {
  readonly low: number;
  readonly high: number;
  readonly negated: boolean;
  /** pfctl's output format: `port = ssh`, `port 30000:32767`. */
  readonly text: string;
}

export interface PfRule {
  readonly section: PfSection;
  readonly action: 'pass' | 'block' | 'anchor' | 'translate' | 'do not translate' | 'normalize';
  /** Only for an anchor: relative to its ruleset; `com.apple/*` means every child. */
  readonly anchor?: string;
  readonly direction?: 'in' | 'out';
  readonly quick: boolean;
  readonly interface?: { readonly name: string; readonly negated: boolean };
  readonly family?: 'inet' | 'inet6';
  readonly protocol?: string;
  readonly from: PfHost;
  readonly fromPorts?: PortRange;
  readonly to: PfHost;
  readonly toPorts?: PortRange;
  /** Such as `neighbrsol`. */
  readonly icmpType?: string;
  /** Target of a translation, as written. */
  readonly target?: string;
  /** Normal form, which `pfctl -s` shows. */
  readonly text: string;
}

export interface TableDefinition {
  readonly name: string;
  readonly persist: boolean;
  readonly constant: boolean;
  readonly addresses: readonly string[];
  readonly line: number;
}

/** `load anchor "x" from "/etc/pf.anchors/x"`. */
export interface AnchorLoad {
  readonly anchor: string;
  readonly path: string;
  readonly line: number;
}

/** Content of one pf file. */
export interface ParsedFile {
  readonly rules: readonly PfRule[];
  readonly tables: readonly TableDefinition[];
  readonly loads: readonly AnchorLoad[];
  readonly skip: readonly string[];
  readonly errors: readonly PfParseError[];
  /** Valid pf syntax that is not modelled; the caller records it in the journal. */
  readonly gaps: readonly string[];
}

export interface PfParseError {
  readonly line: number;
  readonly message: string;
}

import type { Mac } from '../mac.ts';
import { includes, parseNetwork } from './network.ts';
import { type Pf, type PfTable, pfOf } from './pf.ts';
import type { PfHost, PfRule, PfSection, PortRange } from './rule.ts';

/** A packet that opens a connection. */
export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly port?: number;
  readonly fromPort?: number;
  readonly protocol?: 'tcp' | 'udp' | 'icmp' | 'ipv6-icmp';
  /** ICMP type by its name in rules, such as `neighbrsol`. */
  readonly icmpType?: string;
  /**
   * Interfaces on which it enters and leaves: a guest's packet comes in on the bridge and is forwarded. Null: it does
   * not enter or leave.
   */
  readonly inOn?: string | null;
  readonly outOn?: string | null;
}

interface PacketHop {
  readonly packet: Packet;
  readonly direction: 'in' | 'out';
  readonly interface: string;
}

const BRIDGE = 'bridge100';
const OUTSIDE = 'en0';

/**
 * Returns true if the kernel's current rules let the packet through. An anchor that the main ruleset does not refer to
 * is never evaluated, whatever it contains (facts §3.10: "filter inert though installed").
 */
export function allowed(mac: Mac, packet: Packet): boolean {
  const pf = pfOf(mac);
  if (!pf.enabled) return true;
  return hopsOf(packet).every(hop => pf.skip.includes(hop.interface) || verdict(pf, hop) !== 'block');
}

/** Returns the translation rule that rewrites the packet's source on its way out, if the running rules reach one. */
export function translation(mac: Mac, packet: Packet): PfRule | undefined {
  const pf = pfOf(mac);
  const hop = hopsOf(packet).find(({ direction }) => direction === 'out');
  if (!pf.enabled || !hop) return undefined;
  const found = firstMatch(pf, { anchor: '', section: 'nat' }, hop);
  return found?.action === 'translate' ? found : undefined;
}

const hopsOf = (packet: Packet): PacketHop[] => [
  ...(packet.inOn === null ? [] : [{ packet, direction: 'in' as const, interface: packet.inOn ?? BRIDGE }]),
  ...(packet.outOn === null ? [] : [{ packet, direction: 'out' as const, interface: packet.outOn ?? OUTSIDE }]),
];

/** The last matching rule decides, unless an earlier one is quick. */
function verdict(pf: Pf, hop: PacketHop): 'pass' | 'block' {
  let last: 'pass' | 'block' = 'pass';
  walk(pf, { anchor: '', section: 'filter' }, hop, rule => {
    if (rule.action === 'pass' || rule.action === 'block') last = rule.action;
    return rule.quick;
  });
  return last;
}

/** The first matching translation decides. */
function firstMatch(pf: Pf, at: RulesetSection, hop: PacketHop): PfRule | undefined {
  let found: PfRule | undefined;
  walk(pf, at, hop, rule => {
    found = rule;
    return true;
  });
  return found;
}

interface RulesetSection {
  readonly anchor: string;
  readonly section: PfSection;
}

/** Visits each matching rule, including those in anchors and their children. The visitor returns true to stop. */
function walk(pf: Pf, at: RulesetSection, hop: PacketHop, visit: (rule: PfRule) => boolean): boolean {
  for (const rule of pf.rulesets.get(at.anchor)?.rules[at.section] ?? []) {
    if (!matches(pf, at.anchor, rule, hop)) continue;
    if (rule.action !== 'anchor') {
      if (visit(rule)) return true;
      continue;
    }
    for (const anchor of anchorsMeant(pf, at.anchor, rule.anchor ?? '')) {
      if (walk(pf, { ...at, anchor }, hop, visit)) return true;
    }
  }
  return false;
}

/** `com.apple/*` means the children of com.apple in alphabetical order, not com.apple itself. */
function anchorsMeant(pf: Pf, parent: string, name: string): string[] {
  const full = name.startsWith('/') ? name.slice(1) : [parent, name].filter(part => part !== '').join('/');
  if (!full.endsWith('/*')) return [full];
  const prefix = full.slice(0, -1);
  const children = [...pf.rulesets.keys()].filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length));
  return [...new Set(children.map(child => prefix + (child.split('/')[0] ?? '')))].sort();
}

function matches(pf: Pf, anchor: string, rule: PfRule, hop: PacketHop): boolean {
  const { packet } = hop;
  if (rule.direction && rule.direction !== hop.direction) return false;
  if (rule.interface && (rule.interface.name === hop.interface) === rule.interface.negated) return false;
  if (rule.family && rule.family !== parseNetwork(packet.from)?.family) return false;
  if (rule.protocol && rule.protocol !== (packet.protocol ?? 'tcp')) return false;
  if (rule.icmpType && rule.icmpType !== packet.icmpType) return false;
  if (!portFits(rule.fromPorts, packet.fromPort) || !portFits(rule.toPorts, packet.port)) return false;
  const known: AddressLookup = {
    inTable: (name, address) => tableHolds(tableFor(pf, anchor, name), address),
    onInterface: (name, address) => pf.addresses.get(name)?.includes(address) ?? false,
  };
  return hostFits(rule.from, packet.from, known) && hostFits(rule.to, packet.to, known);
}

interface AddressLookup {
  readonly inTable: (name: string, address: string) => boolean;
  readonly onInterface: (name: string, address: string) => boolean;
}

const portFits = (ports: PortRange | undefined, port: number | undefined): boolean =>
  !ports || (port !== undefined && port >= ports.low && port <= ports.high) !== ports.negated;

function hostFits(host: PfHost, address: string, { inTable, onInterface }: AddressLookup): boolean {
  switch (host.kind) {
    case 'any':
      return true;
    case 'table':
      return inTable(host.name, address) !== host.negated;
    case 'network':
      return includes(host.network, address) !== host.negated;
    case 'interface':
      // `(self)` matches no address: XNU keeps no list of all addresses for it (derived: pf_if.c, a group without an
      // interface).
      return onInterface(host.text.replace(/[()]/g, ''), address) !== host.negated;
  }
}

/** A table of the anchor hides one of the same name in the main ruleset. */
const tableFor = (pf: Pf, anchor: string, name: string): PfTable | undefined =>
  pf.rulesets.get(anchor)?.tables.get(name) ?? pf.rulesets.get('')?.tables.get(name);

/** The most specific entry that covers the address decides, so that `!10.1.0.0/16` excludes a part of `10/8`. */
function tableHolds(table: PfTable | undefined, address: string): boolean {
  const covering = (table?.addresses ?? [])
    .map(text => ({ negated: text.startsWith('!'), network: parseNetwork(text.replace('!', '')) }))
    .filter(({ network }) => network && includes(network, address))
    .sort((one, other) => (other.network?.prefix ?? 0) - (one.network?.prefix ?? 0));
  const [narrowest] = covering;
  return narrowest !== undefined && !narrowest.negated;
}

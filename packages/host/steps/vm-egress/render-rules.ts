import type { Egress } from './check-want.ts';
import { liesWithin } from './network.ts';
import { ANCHORS, BLOCKED_TABLE, GUEST_TABLE } from './places.ts';

/** vmnet's bridge for guests of the shared network, the only one Tart uses unless told (facts §6). */
const BRIDGE = 'bridge100';
/** A Mac mini's Ethernet. `(self)` would be all addresses of the host elsewhere; macOS matches nothing with it. */
const UPLINK = 'en0';
const GUESTS = `<${GUEST_TABLE}>`;
const BLOCKED = `<${BLOCKED_TABLE}>`;

/** The tables by their names: what `pfctl -T show` must list. */
export function tablesOf({ guests, blocked }: Egress): ReadonlyMap<string, readonly string[]> {
  const texts = [...new Set(blocked.map(({ text }) => text))];
  // The narrowest entry counts: a hole for the guests' own network, where their gateway and names are.
  const holes = guests.filter(range => blocked.some(outer => liesWithin(range, outer)) && !texts.includes(range.text));
  return new Map([
    [GUEST_TABLE, guests.map(({ text }) => text)],
    [BLOCKED_TABLE, [...texts, ...holes.map(({ text }) => `!${text}`)]],
  ]);
}

/**
 * The file both anchors are loaded from. Tables are `const`, so that nobody empties them under the rules (I05), and not
 * `persist`, so that the next load never meets their names (I03, I04).
 */
export function renderRules(egress: Egress): string {
  return `# Guests leave through this host, past the network policy of the cluster: this is the only filter they meet.
# Written by minifleet and loaded into ${ANCHORS.join(' and ')}. The first rule that matches decides.
${[...tablesOf(egress)].map(([name, entries]) => `table <${name}> const { ${entries.join(' ')} }\n`).join('')}
${allowances(egress)}# Of the host only addresses and names; of IPv6 on the wire only what finds neighbours and routers.
pass in quick proto udp from ${GUESTS} to ${GUESTS} port { 53 67 }
pass in quick proto tcp from ${GUESTS} to ${GUESTS} port 53
pass in quick on ${BRIDGE} inet6 proto udp from any to fe80::/10 port 53
pass in quick on ${BRIDGE} inet6 proto tcp from any to fe80::/10 port 53
${['routersol', 'neighbrsol', 'neighbradv'].map(discovery).join('')}
# Nothing else of the host, and nothing of other guests. Of TCP only what opens a connection: whoever the host calls
# may answer, also on a connection older than this rule.
block drop in quick on ! lo0 proto tcp from ${GUESTS} to { ${GUESTS} (${UPLINK}) } flags S/SA
block drop in quick on ! lo0 proto udp from ${GUESTS} to { ${GUESTS} (${UPLINK}) }
block drop in quick on ${BRIDGE} inet6 proto tcp from any to (${UPLINK}) flags S/SA
block drop in quick on ${BRIDGE} inet6 proto udp from any to (${UPLINK})

# No private network: by the address guests have, and by where they come in, for they can take another.
block drop quick from ${GUESTS} to ${BLOCKED}
block drop in quick on ${BRIDGE} from any to ${BLOCKED}
`;
}

const discovery = (type: string): string =>
  `pass in quick on ${BRIDGE} inet6 proto ipv6-icmp all icmp6-type ${type} no state\n`;

function allowances({ allow }: Egress): string {
  const rules = allow.flatMap(({ to, ports, protocols }) =>
    protocols.map(protocol => `pass quick proto ${protocol} from ${GUESTS} to ${to.text} port ${ports}\n`),
  );
  return rules.length === 0 ? '' : `# Allowed in spite of what follows.\n${rules.join('')}\n`;
}

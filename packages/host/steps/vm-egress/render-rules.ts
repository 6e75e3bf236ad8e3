import type { FilePlace } from '../../host.ts';
import type { LaunchDaemon } from '../../launchd/launch-daemon.ts';
import { loadScript } from '../../load-script.ts';
import { liesWithin, type ParsedEgress, parseEgress, type VmEgressSettings } from './egress-spec.ts';

/** Paths and names of the firewall. Names from earlier setups are kept unchanged. */
export const PF_CONF = '/etc/pf.conf';
export const RULES_FILE = '/etc/pf.anchors/tuist.runners';
/** Loads the rules at boot and each minute. */
export const LOADER = '/usr/local/bin/tuist-pf-runners';
/** Contains the token of Minifleet's pf reference. Tokens and /var/run do not survive a boot. */
export const TOKEN_FILE = '/var/run/tuist-pf-runners.token';
export const JOB = 'dev.tuist.pfctl-runners';
export const JOB_LOG = '/var/log/tuist-pfctl-runners.log';

/** Anchor referenced by pf.conf: in effect from the next boot. */
export const BOOT_ANCHOR = 'tuist.runners';
/** Anchor below `com.apple/*`, which the running ruleset of every Mac references: in effect at once. */
const LIVE_ANCHOR = 'com.apple/tuist.runners';
export const ANCHORS = [LIVE_ANCHOR, BOOT_ANCHOR] as const;

const GUEST_TABLE = 'vm_sources';
const BLOCKED_TABLE = 'blocked_dst';
export const TABLES = [GUEST_TABLE, BLOCKED_TABLE] as const;

/** Arguments of the loader: the same live, at boot and every minute. */
export const LOAD = [RULES_FILE, TOKEN_FILE, 'hold'] as const;

/**
 * Loads the rules at boot and every minute, so that a flushed anchor or a stopped pf lasts at most a minute. Its
 * arguments do not depend on the rules, so launchd need not reload it (I17).
 */
export const EGRESS_JOB: LaunchDaemon = {
  label: JOB,
  arguments: ['/bin/sh', LOADER, ...LOAD],
  startIntervalSeconds: 60,
  logFile: JOB_LOG,
};

/** vmnet bridge of the shared guest network, the default of Tart (facts §6). */
const BRIDGE = 'bridge100';
/** Ethernet of a Mac mini. `(self)` means all addresses of the host on other systems; on macOS it matches nothing. */
const UPLINK = 'en0';
const GUESTS = `<${GUEST_TABLE}>`;
const BLOCKED = `<${BLOCKED_TABLE}>`;

/** Tables by name, as listed by `pfctl -T show`. */
export function tablesOf({ guests, blocked }: ParsedEgress): ReadonlyMap<string, readonly string[]> {
  const texts = [...new Set(blocked.map(({ text }) => text))];
  // The narrowest entry wins: an exemption for the guests' own network with their gateway and DNS.
  const holes = guests.filter(range => blocked.some(outer => liesWithin(range, outer)) && !texts.includes(range.text));
  return new Map([
    [GUEST_TABLE, guests.map(({ text }) => text)],
    [BLOCKED_TABLE, [...texts, ...holes.map(({ text }) => `!${text}`)]],
  ]);
}

/**
 * Renders the file that both anchors load. Tables are `const`, so that they cannot be emptied under the rules (I05),
 * and not `persist`, so that the next load never collides with their names (I03, I04).
 */
export function renderRules(egress: ParsedEgress): string {
  return `# Guest traffic leaves through this host and bypasses the network policies of the cluster: this is its only firewall.
# Written by minifleet and loaded into ${ANCHORS.join(' and ')}. The first matching rule wins.
${[...tablesOf(egress)].map(([name, entries]) => `table <${name}> const { ${entries.join(' ')} }\n`).join('')}
${allowances(egress)}# From the host only DHCP and DNS; from link-local IPv6 only neighbour and router discovery.
pass in quick proto udp from ${GUESTS} to ${GUESTS} port { 53 67 }
pass in quick proto tcp from ${GUESTS} to ${GUESTS} port 53
pass in quick on ${BRIDGE} inet6 proto udp from any to fe80::/10 port 53
pass in quick on ${BRIDGE} inet6 proto tcp from any to fe80::/10 port 53
${['routersol', 'neighbrsol', 'neighbradv'].map(discovery).join('')}
# Nothing else on the host, and no other guests. For TCP only packets that open a connection are blocked, so that guests
# can answer the host, also on connections older than this rule.
block drop in quick on ! lo0 proto tcp from ${GUESTS} to { ${GUESTS} (${UPLINK}) } flags S/SA
block drop in quick on ! lo0 proto udp from ${GUESTS} to { ${GUESTS} (${UPLINK}) }
block drop in quick on ${BRIDGE} inet6 proto tcp from any to (${UPLINK}) flags S/SA
block drop in quick on ${BRIDGE} inet6 proto udp from any to (${UPLINK})

# No private networks: by guest address and by interface, because a guest can change its address.
block drop quick from ${GUESTS} to ${BLOCKED}
block drop in quick on ${BRIDGE} from any to ${BLOCKED}
`;
}

const discovery = (type: string): string =>
  `pass in quick on ${BRIDGE} inet6 proto ipv6-icmp all icmp6-type ${type} no state\n`;

function allowances({ allow }: ParsedEgress): string {
  const rules = allow.flatMap(({ to, ports, protocols }) =>
    protocols.map(protocol => `pass quick proto ${protocol} from ${GUESTS} to ${to.text} port ${ports}\n`),
  );
  return rules.length === 0 ? '' : `# Exceptions from the rules below.\n${rules.join('')}\n`;
}

export interface DesiredFile {
  readonly place: FilePlace;
  readonly text: string;
}

/** Desired files and tables on the host. */
export interface DesiredEgress {
  readonly rules: DesiredFile;
  readonly loader: DesiredFile;
  readonly tables: ReadonlyMap<string, readonly string[]>;
}

/** Throws HOST_EGRESS_INVALID before any host is changed. */
export function desiredEgress(want: VmEgressSettings): DesiredEgress {
  const egress = parseEgress(want);
  return {
    rules: { place: { path: RULES_FILE, mode: 0o644, owner: 'root:wheel' }, text: renderRules(egress) },
    loader: { place: { path: LOADER, mode: 0o755, owner: 'root:wheel' }, text: loadScript('vm-egress-load') },
    tables: tablesOf(egress),
  };
}

import type { FilePlace } from '../../host.ts';
import type { LaunchDaemon } from '../../launchd/launch-daemon.ts';
import { loadScript } from '../../load-script.ts';
import { liesWithin, type ParsedEgress, parseEgress, type VmEgressSettings } from './egress-spec.ts';

/** Where the guests' filter lies on a host. Names that hosts set up before already carry are kept to the letter. */
export const PF_CONF = '/etc/pf.conf';
export const RULES_FILE = '/etc/pf.anchors/tuist.runners';
/** Loads the rules at boot and each minute. */
export const LOADER = '/usr/local/bin/tuist-pf-runners';
/** Holds the token of our reference to pf. Tokens and /var/run both end with a boot. */
export const TOKEN_FILE = '/var/run/tuist-pf-runners.token';
export const JOB = 'dev.tuist.pfctl-runners';
export const JOB_LOG = '/var/log/tuist-pfctl-runners.log';

/** What pf.conf refers to: the rules' place from the next boot on. */
export const BOOT_ANCHOR = 'tuist.runners';
/** Below `com.apple/*`, which every Mac's running ruleset already refers to: the rules' place at once. */
const LIVE_ANCHOR = 'com.apple/tuist.runners';
export const ANCHORS = [LIVE_ANCHOR, BOOT_ANCHOR] as const;

const GUEST_TABLE = 'vm_sources';
const BLOCKED_TABLE = 'blocked_dst';
export const TABLES = [GUEST_TABLE, BLOCKED_TABLE] as const;

/** What the loader is given: the same words live, at boot and each minute. */
export const LOAD = [RULES_FILE, TOKEN_FILE, 'hold'] as const;

/**
 * Loads the rules at boot and each minute: whoever empties an anchor or ends pf does so for a minute. Its words never
 * change with the rules, so launchd is not told anew when they do (I17).
 */
export const EGRESS_JOB: LaunchDaemon = {
  label: JOB,
  arguments: ['/bin/sh', LOADER, ...LOAD],
  startIntervalSeconds: 60,
  logFile: JOB_LOG,
};

/** vmnet's bridge for guests of the shared network, the only one Tart uses unless told (facts §6). */
const BRIDGE = 'bridge100';
/** A Mac mini's Ethernet. `(self)` would be all addresses of the host elsewhere; macOS matches nothing with it. */
const UPLINK = 'en0';
const GUESTS = `<${GUEST_TABLE}>`;
const BLOCKED = `<${BLOCKED_TABLE}>`;

/** The tables by their names: what `pfctl -T show` must list. */
export function tablesOf({ guests, blocked }: ParsedEgress): ReadonlyMap<string, readonly string[]> {
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
export function renderRules(egress: ParsedEgress): string {
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

function allowances({ allow }: ParsedEgress): string {
  const rules = allow.flatMap(({ to, ports, protocols }) =>
    protocols.map(protocol => `pass quick proto ${protocol} from ${GUESTS} to ${to.text} port ${ports}\n`),
  );
  return rules.length === 0 ? '' : `# Allowed in spite of what follows.\n${rules.join('')}\n`;
}

export interface DesiredFile {
  readonly place: FilePlace;
  readonly text: string;
}

/** What shall lie on the host and be loaded there. */
export interface DesiredEgress {
  readonly rules: DesiredFile;
  readonly loader: DesiredFile;
  readonly tables: ReadonlyMap<string, readonly string[]>;
}

/** Throws HOST_EGRESS_INVALID before any host is touched. */
export function desiredEgress(want: VmEgressSettings): DesiredEgress {
  const egress = parseEgress(want);
  return {
    rules: { place: { path: RULES_FILE, mode: 0o644, owner: 'root:wheel' }, text: renderRules(egress) },
    loader: { place: { path: LOADER, mode: 0o755, owner: 'root:wheel' }, text: loadScript('vm-egress-load') },
    tables: tablesOf(egress),
  };
}

import { HOST_COMMAND_FAILED } from '../../errors.ts';
import type { FileInfo, HostCommandResult, HostView } from '../../host.ts';
import { type DaemonState, readDaemon } from '../../launchd/launch-daemon.ts';
import { HOST_PF_RULES_REFUSED } from './errors.ts';
import { complaintIn } from './pf-conf.ts';
import { ANCHORS, BOOT_ANCHOR, JOB, LOADER, PF_CONF, RULES_FILE, TABLES, TOKEN_FILE } from './render-rules.ts';

/** Content and metadata of a file of the firewall. */
export interface EgressFile {
  readonly text: string | undefined;
  readonly info: FileInfo | undefined;
}

/** Firewall state of a host: files, kernel state and launchd job. */
export interface EgressState extends PacketFilterState {
  readonly conf: string | undefined;
  /** Reason why pf rejects the present pf.conf; undefined if it accepts it. */
  readonly confRefused: string | undefined;
  readonly files: { readonly rules: EgressFile; readonly loader: EgressFile };
  /** Token of the last pf reference. */
  readonly token: string | undefined;
  readonly job: DaemonState;
}

/** Reads everything in one round trip. */
export async function observeEgress(host: HostView, rules: string): Promise<EgressState> {
  const [kernel, conf, check, token, job, rulesFile, loader] = await Promise.all([
    observeKernel(host, rules),
    host.readText(PF_CONF),
    host.query(['/sbin/pfctl', '-nf', PF_CONF], { root: true }),
    host.readText(TOKEN_FILE),
    readDaemon(host, JOB),
    readEgressFile(host, RULES_FILE),
    readEgressFile(host, LOADER),
  ]);
  return {
    ...kernel,
    conf,
    confRefused: check.exitCode === 0 ? undefined : complaintIn(check.stderr),
    files: { rules: rulesFile, loader },
    token: token?.trim() || undefined,
    job,
  };
}

async function readEgressFile(host: HostView, path: string): Promise<EgressFile> {
  const [text, info] = await Promise.all([host.readText(path), host.fileInfo(path)]);
  return { text, info };
}

export interface TableState {
  readonly name: string;
  readonly persist: boolean;
}

export interface AnchorState {
  readonly name: string;
  readonly rules: readonly string[];
  readonly tables: readonly TableState[];
  /** Addresses by table; undefined if the table does not exist. */
  readonly addresses: ReadonlyMap<string, readonly string[] | undefined>;
}

/** State of the kernel's packet filter. */
interface PacketFilterState {
  /**
   * Desired rules as rendered by this host's pfctl, in the order and notation of loaded rules: both differ from the
   * source and between macOS versions.
   */
  readonly understood: readonly string[];
  readonly main: { readonly running: RunningRuleset; readonly tables: readonly TableState[] };
  readonly anchors: readonly AnchorState[];
  readonly enabled: boolean;
  /** Words of the reference listing, including the tokens. */
  readonly references: readonly string[];
}

type Pfctl = (...words: string[]) => Promise<HostCommandResult>;

async function observeKernel(host: HostView, rules: string): Promise<PacketFilterState> {
  const pfctl: Pfctl = (...words) => host.query(['/sbin/pfctl', ...words], { root: true });
  const show = async (...words: string[]): Promise<string> => requireOutput(host, words, await pfctl(...words));
  const dryRun = ['/bin/sh', '-c', 'printf %s "$1" | /sbin/pfctl -vnf -', 'sh', rules] as const;
  const [understood, nat, filter, tables, anchors, info, references] = await Promise.all([
    host.query(dryRun, { root: true }),
    show('-s', 'nat'),
    show('-s', 'rules'),
    show('-v', '-s', 'Tables'),
    Promise.all(ANCHORS.map(name => observeAnchor(name, { show, pfctl }))),
    show('-s', 'info'),
    show('-s', 'References'),
  ]);
  if (understood.exitCode !== 0)
    throw HOST_PF_RULES_REFUSED({ address: host.address, complaint: complaintIn(understood.stderr) });
  return {
    understood: rulesIn(understood.stdout),
    main: { running: [...linesOf(nat), ...linesOf(filter)], tables: tablesIn(tables) },
    anchors,
    enabled: /^Status: Enabled/m.test(info),
    references: references.split(/\s+/),
  };
}

interface PfctlCommands {
  readonly show: (...words: string[]) => Promise<string>;
  readonly pfctl: Pfctl;
}

async function observeAnchor(name: string, { show, pfctl }: PfctlCommands): Promise<AnchorState> {
  const [rules, tables, ...shown] = await Promise.all([
    show('-a', name, '-s', 'rules'),
    show('-a', name, '-v', '-s', 'Tables'),
    ...TABLES.map(table => pfctl('-a', name, '-t', table, '-T', 'show')),
  ]);
  // Exit code 1 only means that the table does not exist.
  const addresses = shown.map(({ exitCode, stdout }) => (exitCode === 0 ? linesOf(stdout) : undefined));
  return {
    name,
    rules: rulesIn(rules),
    tables: tablesIn(tables),
    addresses: new Map(TABLES.map((table, at) => [table, addresses[at]])),
  };
}

function requireOutput({ address }: HostView, words: readonly string[], ran: HostCommandResult): string {
  if (ran.exitCode === 0) return ran.stdout;
  const command = `pfctl ${words.join(' ')}`;
  throw HOST_COMMAND_FAILED({ command, address, status: `exit code ${ran.exitCode}`, output: complaintIn(ran.stderr) });
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');

/**
 * Rules without tables, one per line. pf's optimizer may move addresses of similar rules into a table with a generated
 * name; the number of addresses is irrelevant.
 */
const rulesIn = (text: string): string[] =>
  linesOf(text)
    .filter(line => !line.startsWith('table '))
    .map(line => line.replace(/<__automatic_\w+/g, '<__automatic').replace(/<([\w.-]+):[\d*]+>/g, '<$1>'));

/** Lines such as `cpa-r--	vm_sources`: const, persist, active, inactive, referenced, hidden, counters. */
const tablesIn = (text: string): TableState[] =>
  linesOf(text).flatMap(line => {
    const [flags = '', name] = line.split(/\s+/);
    return name === undefined ? [] : [{ name, persist: flags[1] === 'p' }];
  });

const APPLE = 'com.apple/*';

/** Main ruleset from `pfctl -s nat` and `pfctl -s rules`, one rule per line. */
type RunningRuleset = readonly string[];

/**
 * References that the running main ruleset lacks, such as `nat-anchor com.apple/*`. Anchors below them are loaded but
 * never evaluated: the guests' firewall (F01) or their NAT (F04).
 */
export function missingReferences(running: RunningRuleset, conf: string): string[] {
  const held = referencesIn(running);
  const missing = [...referencesIn(conf.split('\n'))].filter(name => name.endsWith(` ${APPLE}`) && !held.has(name));
  const filtered = held.has(`anchor ${APPLE}`) || held.has(`anchor ${BOOT_ANCHOR}`);
  return filtered || missing.includes(`anchor ${APPLE}`) ? missing : [...missing, `anchor ${BOOT_ANCHOR}`];
}

/**
 * True if loading the whole pf.conf removes nothing from others. Services add their own anchors to the running ruleset:
 * with those the load collides (facts §3.10), and otherwise running guests would lose their NAT.
 */
export function reloadable(running: RunningRuleset, conf: string): boolean {
  const written = referencesIn(conf.split('\n'));
  return running.every(line => {
    const name = referenceIn(line);
    return name !== undefined && written.has(name);
  });
}

/** True if the running ruleset refers to the anchor of the block, which pf loads at boot. */
export const refersToBlock = (running: RunningRuleset): boolean => referencesIn(running).has(`anchor ${BOOT_ANCHOR}`);

const referencesIn = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.map(referenceIn).filter(name => name !== undefined));

/** References that `-s nat` and `-s rules` show; dummynet anchors are not shown. */
function referenceIn(line: string): string | undefined {
  const found = /^\s*((?:scrub-|nat-|rdr-)?anchor)\s+"?([^"\s]+)"?/.exec(line);
  return found ? `${found[1]} ${found[2]}` : undefined;
}

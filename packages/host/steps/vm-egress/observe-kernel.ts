import { HOST_COMMAND_FAILED } from '../../errors.ts';
import type { HostView, Ran } from '../../host.ts';
import { HOST_PF_RULES_REFUSED } from './errors.ts';
import { complaintIn } from './pf-complaint.ts';
import { ANCHORS, TABLES } from './places.ts';
import type { Running } from './references.ts';

export interface SeenTable {
  readonly name: string;
  readonly persist: boolean;
}

export interface SeenAnchor {
  readonly name: string;
  readonly rules: readonly string[];
  readonly tables: readonly SeenTable[];
  /** By table; undefined where there is no such table. */
  readonly addresses: ReadonlyMap<string, readonly string[] | undefined>;
}

/** What the kernel's packet filter holds. */
export interface Kernel {
  /**
   * The wanted rules as this host's own pfctl understands them, in the order and the words it shows loaded ones in: both
   * differ from what is written, and with the version of macOS.
   */
  readonly understood: readonly string[];
  readonly main: { readonly running: Running; readonly tables: readonly SeenTable[] };
  readonly anchors: readonly SeenAnchor[];
  readonly enabled: boolean;
  /** Tokens of those who keep pf enabled, among other words. */
  readonly references: readonly string[];
}

type Pfctl = (...words: string[]) => Promise<Ran>;

export async function observeKernel(host: HostView, rules: string): Promise<Kernel> {
  const pfctl: Pfctl = (...words) => host.look(['/sbin/pfctl', ...words], { root: true });
  const show = async (...words: string[]): Promise<string> => answered(host, words, await pfctl(...words));
  const dryRun = ['/bin/sh', '-c', 'printf %s "$1" | /sbin/pfctl -vnf -', 'sh', rules] as const;
  const [understood, nat, filter, tables, anchors, info, references] = await Promise.all([
    host.look(dryRun, { root: true }),
    show('-s', 'nat'),
    show('-s', 'rules'),
    show('-v', '-s', 'Tables'),
    Promise.all(ANCHORS.map(name => seenAnchor(name, { show, pfctl }))),
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

interface Asking {
  readonly show: (...words: string[]) => Promise<string>;
  readonly pfctl: Pfctl;
}

async function seenAnchor(name: string, { show, pfctl }: Asking): Promise<SeenAnchor> {
  const [rules, tables, ...shown] = await Promise.all([
    show('-a', name, '-s', 'rules'),
    show('-a', name, '-v', '-s', 'Tables'),
    ...TABLES.map(table => pfctl('-a', name, '-t', table, '-T', 'show')),
  ]);
  // Exit code 1 only means that there is no such table.
  const addresses = shown.map(({ exitCode, stdout }) => (exitCode === 0 ? linesOf(stdout) : undefined));
  return {
    name,
    rules: rulesIn(rules),
    tables: tablesIn(tables),
    addresses: new Map(TABLES.map((table, at) => [table, addresses[at]])),
  };
}

function answered({ address }: HostView, words: readonly string[], ran: Ran): string {
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
 * Rules one a line, without tables. pf's optimizer may put the addresses of like rules into a table whose name it makes up
 * at each load; how many addresses a table has is of no interest.
 */
const rulesIn = (text: string): string[] =>
  linesOf(text)
    .filter(line => !line.startsWith('table '))
    .map(line => line.replace(/<__automatic_\w+/g, '<__automatic').replace(/<([\w.-]+):[\d*]+>/g, '<$1>'));

/** Lines such as `cpa-r--	vm_sources`: const, persist, active, inactive, referenced, hidden, counters. */
const tablesIn = (text: string): SeenTable[] =>
  linesOf(text).flatMap(line => {
    const [flags = '', name] = line.split(/\s+/);
    return name === undefined ? [] : [{ name, persist: flags[1] === 'p' }];
  });

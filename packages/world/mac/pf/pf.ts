import { type Mac, type MacPart, root } from '../mac.ts';
import { loadRules } from './load-rules.ts';
import { pfctl } from './pfctl.ts';
import { type PfRule, type PfSection, SECTIONS } from './rule.ts';

export interface PfTable {
  persist: boolean;
  constant: boolean;
  addresses: string[];
}

/** What the kernel holds for one anchor; the main ruleset is the anchor with the empty name. */
export interface Ruleset {
  rules: Record<PfSection, readonly PfRule[]>;
  readonly tables: Map<string, PfTable>;
}

/** Quirks a test may set; the values given are what the operators' documents describe. */
interface PfSettings {
  /**
   * A whole `pfctl -f /etc/pf.conf` is refused while the running main ruleset holds rules the file's stock part has not
   * (facts §3.10 "Activation now").
   */
  wholeReloadCollides: boolean;
  /**
   * Whether a `persist` table may be defined again at its own scope without killing it first. S1 says no; the loader of
   * facts §3.14 does so each minute and would need yes.
   */
  persistTablesRedefinable: boolean;
}

/** The kernel's packet filter: nothing of it survives a reboot. */
export interface Pf {
  enabled: boolean;
  enabledAt: number;
  readonly rulesets: Map<string, Ruleset>;
  /** `pfctl -E` hands out a token; pf stays enabled until the last one is given back (S0–S1 hosts leaked one per run). */
  readonly tokens: Map<string, { readonly pid: number; readonly process: string; readonly at: number }>;
  skip: readonly string[];
  /** Of the interfaces, for rules that name one instead of an address: `to (en0)`. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
  readonly settings: PfSettings;
}

const KEY = Symbol('pf');

export const pfOf = (mac: Mac): Pf =>
  mac.state(KEY, () => ({
    enabled: false,
    enabledAt: 0,
    rulesets: new Map(),
    tokens: new Map(),
    skip: [],
    addresses: new Map([
      ['lo0', ['127.0.0.1', '::1']],
      ['en0', [mac.options.address]],
      // Where vmnet's gateway, DHCP and DNS are (facts §6).
      ['bridge100', ['192.168.64.1']],
    ]),
    settings: { wholeReloadCollides: true, persistTablesRedefinable: false },
  }));

export const emptyRules = (): Record<PfSection, readonly PfRule[]> => ({
  scrub: [],
  nat: [],
  rdr: [],
  binat: [],
  dummynet: [],
  filter: [],
});

/** The ruleset of an anchor, made when it is not there yet. */
export function rulesetOf(pf: Pf, anchor: string): Ruleset {
  const found = pf.rulesets.get(anchor);
  if (found) return found;
  const fresh = { rules: emptyRules(), tables: new Map<string, PfTable>() };
  pf.rulesets.set(anchor, fresh);
  return fresh;
}

/** An anchor with neither rules nor tables does not exist for the kernel. */
export function forgetEmpty(pf: Pf): void {
  for (const [name, ruleset] of pf.rulesets) {
    const bare = SECTIONS.every(section => ruleset.rules[section].length === 0) && ruleset.tables.size === 0;
    if (bare && name !== '') pf.rulesets.delete(name);
  }
}

function resetPf(pf: Pf): void {
  pf.enabled = false;
  pf.rulesets.clear();
  pf.tokens.clear();
  pf.skip = [];
}

/** Rules the system itself puts into the running main ruleset: the file knows nothing of them. */
export function addSystemRules(pf: Pf, rules: readonly PfRule[]): void {
  const main = rulesetOf(pf, '');
  for (const rule of rules) main.rules[rule.section] = [...main.rules[rule.section], rule];
}

/** The packet filter. At boot the system loads /etc/pf.conf and leaves pf disabled, until a job of someone enables it. */
export const pfPart: MacPart = mac => {
  mac.onBoot(() => {
    const pf = pfOf(mac);
    resetPf(pf);
    const read = (path: string): string => mac.files.read(root, path).toString();
    const gap = (detail: string): void => mac.around.journal.unmodelled(`mac/${mac.options.name}`, detail);
    const errors = loadRules(pf, { anchor: '', path: '/etc/pf.conf', dry: false, read, gap });
    mac.around.journal.add(`mac/${mac.options.name}`, 'pf boot load', errors[0] ?? 'ok');
  });
  return { programs: { '/sbin/pfctl': pfctl } };
};

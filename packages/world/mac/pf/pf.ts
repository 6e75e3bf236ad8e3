import { type Mac, type MacPart, root } from '../mac.ts';
import { loadRules } from './load-rules.ts';
import { pfctl } from './pfctl.ts';
import { type PfRule, type PfSection, SECTIONS } from './rule.ts';

export interface PfTable {
  persist: boolean;
  constant: boolean;
  addresses: string[];
}

/** The kernel's state for one anchor. The main ruleset is the anchor with the empty name. */
export interface Ruleset {
  rules: Record<PfSection, readonly PfRule[]>;
  readonly tables: Map<string, PfTable>;
}

/** Quirks a test may set. The defaults are what the operators' documents describe. */
interface PfSettings {
  /**
   * `pfctl -f /etc/pf.conf` is refused while the running main ruleset contains rules that the file's stock part does
   * not (facts §3.10 "Activation now").
   */
  wholeReloadCollides: boolean;
  /**
   * Allows redefining a `persist` table at its own scope without killing it first. S1 says that this fails; the loader
   * of facts §3.14 does it every minute and would need it to work.
   */
  persistTablesRedefinable: boolean;
}

/** The kernel's packet filter. Nothing of it survives a reboot. */
export interface Pf {
  enabled: boolean;
  enabledAt: number;
  readonly rulesets: Map<string, Ruleset>;
  /** `pfctl -E` issues a token; pf stays enabled until the last one is released (S0–S1 hosts leaked one per run). */
  readonly tokens: Map<string, { readonly pid: number; readonly process: string; readonly at: number }>;
  skip: readonly string[];
  /** Addresses by interface, for rules that name an interface: `to (en0)`. */
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
      // Address of vmnet's gateway, DHCP and DNS (facts §6).
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

/** Returns the ruleset of an anchor and creates it if necessary. */
export function rulesetOf(pf: Pf, anchor: string): Ruleset {
  const found = pf.rulesets.get(anchor);
  if (found) return found;
  const fresh = { rules: emptyRules(), tables: new Map<string, PfTable>() };
  pf.rulesets.set(anchor, fresh);
  return fresh;
}

/** For the kernel, an anchor with neither rules nor tables does not exist. */
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

/** Adds rules that the system itself puts into the running main ruleset; the file does not contain them. */
export function addSystemRules(pf: Pf, rules: readonly PfRule[]): void {
  const main = rulesetOf(pf, '');
  for (const rule of rules) main.rules[rule.section] = [...main.rules[rule.section], rule];
}

/** The packet filter. At boot, the system loads /etc/pf.conf and leaves pf disabled until a job enables it. */
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

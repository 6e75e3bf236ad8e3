import { parseFile } from './parse-file.ts';
import { emptyRules, forgetEmpty, type Pf, rulesetOf } from './pf.ts';
import { type ParsedFile, SECTIONS, type TableDefinition } from './rule.ts';

const MODIFIERS = ['nat', 'rules', 'states', 'Sources', 'info', 'Tables', 'osfp', 'all', 'dummynet'];

/** `pfctl -F`: returns the messages it prints; undefined for an unknown modifier. */
export function flush(pf: Pf, asked: { readonly what: string; readonly anchor: string }): string[] | undefined {
  const what = MODIFIERS.find(name => name.startsWith(asked.what));
  if (what === undefined) return undefined;
  const selected = (name: string): boolean => what === name || what === 'all';
  const messages = [
    selected('rules') && flushRules(pf, asked.anchor),
    selected('nat') && flushNat(pf, asked.anchor),
    selected('dummynet') && 'dummynet cleared',
    selected('states') && '0 states cleared',
    selected('Sources') && 'source tracking entries cleared',
    selected('info') && 'pf: statistics cleared',
    selected('Tables') && flushTables(pf, asked.anchor),
    selected('osfp') && 'pf: interface flags reset',
  ].filter(line => typeof line === 'string');
  forgetEmpty(pf);
  return messages;
}

function flushRules(pf: Pf, anchor: string): string {
  const ruleset = pf.rulesets.get(anchor);
  if (ruleset) ruleset.rules = { ...ruleset.rules, filter: [], scrub: [] };
  return 'rules cleared';
}

function flushNat(pf: Pf, anchor: string): string {
  const ruleset = pf.rulesets.get(anchor);
  const { nat, rdr, binat } = emptyRules();
  if (ruleset) ruleset.rules = { ...ruleset.rules, nat, rdr, binat };
  return 'nat cleared';
}

/**
 * Despite its name, `-F Tables` only empties a `persist` table and keeps its name in use (I05; S1). Without an anchor,
 * it affects only the tables of the main ruleset.
 */
function flushTables(pf: Pf, anchor: string): string {
  const tables = pf.rulesets.get(anchor)?.tables ?? new Map();
  let deleted = 0;
  for (const [name, table] of tables) {
    if (table.persist) {
      table.addresses = [];
      continue;
    }
    tables.delete(name);
    deleted += 1;
  }
  return `${deleted} tables deleted.`;
}

interface LoadOptions {
  /** Empty for the main ruleset. */
  readonly anchor: string;
  readonly path: string;
  /** `-n`: parse only. pfctl does not open the device then (derived), so it does not detect a busy table. */
  readonly dry: boolean;
  /** Throws the error message if the file cannot be read. */
  read(path: string): string;
  gap(detail: string): void;
  /** `-v`: prints each table and rule as pf parsed it, also with `-n`. */
  readonly print?: (line: string) => void;
}

/** Error messages of pfctl; empty if the rules were loaded. */
type LoadErrors = readonly string[];

interface RulesetFile {
  readonly anchor: string;
  readonly path: string;
  readonly parsed: ParsedFile;
}

const NOT_LOADED = 'pfctl: Syntax error in config file: pf rules not loaded';

/**
 * Loads a file and the files it loads in turn, all or nothing: with one invalid line anywhere, the kernel keeps the old
 * rules. This is how a duplicated block froze hosts on an old ruleset (facts §3.10).
 */
export function loadRules(pf: Pf, options: LoadOptions): LoadErrors {
  const parts: RulesetFile[] = [];
  const unreadable = collect(options, { anchor: options.anchor, path: options.path }, parts);
  if (unreadable.length > 0) return unreadable;
  const errors = parts.flatMap(part =>
    part.parsed.errors.map(({ line, message }) => `${part.path}:${line}: ${message}`),
  );
  errors.push(...duplicates(parts));
  if (errors.length === 0 && !options.dry) errors.push(...busy(pf, parts));
  if (errors.length > 0) return options.dry ? errors : [...errors, NOT_LOADED];
  if (options.print) parts.flatMap(understood).forEach(options.print);
  if (options.dry) return [];
  if (collides(pf, parts[0], options.anchor)) return ['pfctl: DIOCADDRULE: Resource busy'];
  for (const part of parts) commit(pf, part);
  if (options.anchor === '') pf.skip = parts[0]?.parsed.skip ?? [];
  forgetEmpty(pf);
  return [];
}

/** The same text that `-s` shows after the load, in pf's load order (derived: pfctl.c). */
const understood = ({ parsed }: RulesetFile): string[] => [
  ...parsed.tables.map(tableText),
  ...SECTIONS.flatMap(section => parsed.rules.filter(rule => rule.section === section).map(rule => rule.text)),
];

const tableText = ({ name, persist, constant, addresses }: TableDefinition): string =>
  [`table <${name}>`, constant && 'const', persist && 'persist', '{', ...addresses, '}'].filter(word => word).join(' ');

function collect(options: LoadOptions, at: { anchor: string; path: string }, parts: RulesetFile[]): string[] {
  let text: string;
  try {
    text = options.read(at.path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [`pfctl: ${at.path}: ${reason}`, ...(parts.length > 0 ? ['pfctl: load anchors'] : [])];
  }
  const parsed = parseFile(text);
  for (const gap of parsed.gaps) options.gap(gap);
  parts.push({ ...at, parsed });
  for (const load of parsed.loads) {
    const anchor = at.anchor === '' ? load.anchor : `${at.anchor}/${load.anchor}`;
    const errors = collect(options, { anchor, path: load.path }, parts);
    if (errors.length > 0) return errors;
  }
  return [];
}

/**
 * The same table twice in one load: the second definition conflicts with the first one's open transaction (I01, I02;
 * S0).
 */
function duplicates(parts: readonly RulesetFile[]): string[] {
  const seen = new Set<string>();
  return definitions(parts).flatMap(({ part, table }) => {
    const key = `${part.anchor} ${table.name}`;
    const again = seen.has(key);
    seen.add(key);
    return again ? [cannotDefine(part, table)] : [];
  });
}

/** A `persist` table left by an earlier load, in the main ruleset or in the anchor, keeps its name (I03, I04; S1). */
function busy(pf: Pf, parts: readonly RulesetFile[]): string[] {
  return definitions(parts)
    .filter(({ part, table }) => {
      const main = pf.rulesets.get('')?.tables.get(table.name);
      const own = pf.rulesets.get(part.anchor)?.tables.get(table.name);
      const ownBlocks = own?.persist === true && !pf.settings.persistTablesRedefinable;
      return ownBlocks || (part.anchor !== '' && main?.persist === true);
    })
    .map(({ part, table }) => cannotDefine(part, table));
}

const definitions = (parts: readonly RulesetFile[]): { part: RulesetFile; table: TableDefinition }[] =>
  parts.flatMap(part => part.parsed.tables.map(table => ({ part, table })));

const cannotDefine = (part: RulesetFile, table: TableDefinition): string =>
  `${part.path}:${table.line}: cannot define table ${table.name}: Resource busy`;

/** The message is derived: facts §3.10 only says that the load collides with the system's ruleset and aborts. */
function collides(pf: Pf, main: RulesetFile | undefined, anchor: string): boolean {
  if (anchor !== '' || !main || !pf.settings.wholeReloadCollides) return false;
  const fileRules = new Set(main.parsed.rules.map(rule => rule.text));
  const running = pf.rulesets.get('')?.rules ?? emptyRules();
  return SECTIONS.some(section =>
    running[section].some(rule => rule.text.includes('"com.apple') && !fileRules.has(rule.text)),
  );
}

function commit(pf: Pf, part: RulesetFile): void {
  const ruleset = rulesetOf(pf, part.anchor);
  ruleset.rules = emptyRules();
  for (const rule of part.parsed.rules) ruleset.rules[rule.section] = [...ruleset.rules[rule.section], rule];
  for (const [name, table] of ruleset.tables) if (!table.persist) ruleset.tables.delete(name);
  for (const { name, persist, constant, addresses } of part.parsed.tables) {
    ruleset.tables.set(name, { persist, constant, addresses: [...addresses] });
  }
}

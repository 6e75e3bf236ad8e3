import type { Clock } from '@minifleet/clock';
import type { Pf, Ruleset } from './pf.ts';
import type { PfHost, PfRule, PfSection } from './rule.ts';

/** Modifiers of `-s`, also abbreviated: `-s rules`, `-sr`. */
const MODIFIERS = ['nat', 'rules', 'Anchors', 'info', 'Tables', 'References', 'states', 'all', 'memory', 'dummynet'];

type ShowResult = { readonly text: string; readonly complaint?: string } | undefined;

/** Output of `pfctl -s`; undefined for a pf modifier that is not modelled. */
export function show(pf: Pf, asked: { what: string; anchor: string; verbose: boolean }, clock: Clock): ShowResult {
  const what = MODIFIERS.find(name => name.startsWith(asked.what)) ?? '';
  const ruleset = pf.rulesets.get(asked.anchor);
  if (what !== '' && asked.anchor !== '' && !ruleset && !['Anchors', 'info'].includes(what)) {
    // The kernel knows an anchor only while it has content. pfctl prints an error and still exits with 0 (derived:
    // pfctl.c).
    return what === 'Tables' ? { text: '' } : { text: '', complaint: 'pfctl: DIOCGETRULES: Invalid argument\n' };
  }
  switch (what) {
    case 'rules':
      return { text: lines(texts(ruleset, 'scrub'), texts(ruleset, 'filter')) };
    case 'nat':
      return { text: lines(texts(ruleset, 'nat'), texts(ruleset, 'rdr')) };
    case 'dummynet':
      return { text: lines(texts(ruleset, 'dummynet')) };
    case 'Anchors':
      return { text: lines(anchors(pf, asked.anchor, asked.verbose).map(name => `  ${name}`)) };
    case 'Tables':
      return { text: lines(tableNames(ruleset, asked.verbose)) };
    case 'info':
      return { text: info(pf, clock.now()) };
    case 'References':
      return { text: references(pf, clock.now()) };
    case 'states':
      return { text: '' };
    default:
      return undefined;
  }
}

const texts = (ruleset: Ruleset | undefined, section: PfSection): string[] =>
  (ruleset?.rules[section] ?? []).map(rule => rule.text);

const lines = (...groups: readonly (readonly string[])[]): string =>
  groups
    .flat()
    .map(line => `${line}\n`)
    .join('');

function anchors(pf: Pf, parent: string, deep: boolean): string[] {
  const prefix = parent === '' ? '' : `${parent}/`;
  const below = new Set<string>();
  for (const name of pf.rulesets.keys()) {
    if (name === '' || !name.startsWith(prefix)) continue;
    const parts = name.slice(prefix.length).split('/');
    for (let depth = 1; depth <= (deep ? parts.length : 1); depth++)
      below.add(prefix + parts.slice(0, depth).join('/'));
  }
  return [...below].sort();
}

/** With -v, each name has its flags: constant, persistent, active, inactive, referenced, hidden, counters (derived). */
const tableNames = (ruleset: Ruleset | undefined, verbose: boolean): string[] =>
  [...(ruleset?.tables ?? [])]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, table]) =>
      verbose ? `${table.constant ? 'c' : '-'}${table.persist ? 'p' : '-'}a-r--\t${name}` : name,
    );

function info(pf: Pf, now: number): string {
  const seconds = Math.floor((now - pf.enabledAt) / 1_000);
  const clock = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map(part =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  const since = `for ${Math.floor(seconds / 86_400)} days ${[String(Math.floor(seconds / 3_600) % 24).padStart(2, '0'), ...clock.slice(1)].join(':')}`;
  const status = pf.enabled ? `Enabled ${since}` : 'Disabled';
  const counters = ['searches', 'inserts', 'removals'].map(
    name => `  ${name.padEnd(23)}${'0'.padStart(14)}${'0.0/s'.padStart(16)}`,
  );
  const table = `State Table                          Total             Rate\n  ${'current entries'.padEnd(23)}${'0'.padStart(14)}`;
  return `Status: ${status.padEnd(42)}Debug: Urgent\n\n${table}\n${counters.join('\n')}\n`;
}

function references(pf: Pf, now: number): string {
  if (pf.tokens.size === 0) return 'No pf enable references\n';
  const rows = [...pf.tokens].map(
    ([token, { pid, process, at }]) =>
      `${String(pid).padEnd(9)}${process.padEnd(29)}${token.padEnd(25)}${Math.floor((now - at) / 1_000)} seconds ago`,
  );
  return `TOKENS:\nPID      Process Name                 TOKEN                    TIMESTAMP\n${rows.join('\n')}\n`;
}

/** The words before the match (`block drop in quick`) and after it (`flags S/SA keep state`). */
interface RuleKeywords {
  readonly head: string;
  readonly tail: string;
}

/** Formats a rule in pf's normal form, which `pfctl -s` shows and which differs from the written form. */
export function printRule(rule: Omit<PfRule, 'text'>, words: RuleKeywords): string {
  const parts = [words.head, interfaceText(rule), familyOf(rule), rule.protocol && `proto ${rule.protocol}`];
  return [...parts, addresses(rule), words.tail].filter(part => part !== undefined && part !== '').join(' ');
}

const interfaceText = (rule: Omit<PfRule, 'text'>): string | undefined =>
  rule.interface && `on ${rule.interface.negated ? '! ' : ''}${rule.interface.name}`;

/** An address determines the family, so pf prints it even if the rule omits it. */
export const familyOf = (rule: Omit<PfRule, 'text'>): 'inet' | 'inet6' | undefined =>
  rule.family ??
  [rule.from, rule.to].map(host => (host.kind === 'network' ? host.network.family : undefined)).find(family => family);

function addresses(rule: Omit<PfRule, 'text'>): string {
  const open = rule.from.kind === 'any' && rule.to.kind === 'any' && !rule.fromPorts && !rule.toPorts;
  if (open) return 'all';
  const from = [`from ${hostText(rule.from)}`, rule.fromPorts?.text];
  return [...from, `to ${hostText(rule.to)}`, rule.toPorts?.text].filter(part => part).join(' ');
}

function hostText(host: PfHost): string {
  switch (host.kind) {
    case 'any':
      return 'any';
    case 'table':
      return `${host.negated ? '! ' : ''}<${host.name}>`;
    case 'network':
      return `${host.negated ? '! ' : ''}${host.network.text}`;
    case 'interface':
      return `${host.negated ? '! ' : ''}${host.text}`;
  }
}

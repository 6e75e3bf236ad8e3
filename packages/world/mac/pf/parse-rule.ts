import { type Cursor, PfSyntaxError } from './cursor.ts';
import { parseMatch, type RuleMatch } from './parse-match.ts';
import type { PfHost, PfRule, PfSection } from './rule.ts';
import { familyOf, printRule } from './show.ts';

const ANY: PfHost = { kind: 'any' };
const ANCHORS: Readonly<Record<string, PfSection>> = {
  anchor: 'filter',
  'nat-anchor': 'nat',
  'rdr-anchor': 'rdr',
  'binat-anchor': 'binat',
  'scrub-anchor': 'scrub',
  'dummynet-anchor': 'dummynet',
};

/** Returns the rules of one statement: a list in it makes several. Undefined if it is not a rule. */
export function parseRules(cursor: Cursor): PfRule[] | undefined {
  const word = cursor.take();
  const anchorSection = ANCHORS[word];
  if (anchorSection) return anchorRules(cursor, word, anchorSection);
  switch (word) {
    case 'pass':
    case 'block':
      return filterRules(cursor, word);
    case 'scrub':
      return scrubRules(cursor);
    case 'nat':
    case 'rdr':
      return translations(cursor, word, 'translate');
    case 'no':
      return translations(cursor, cursor.take(), 'do not translate');
    default:
      return undefined;
  }
}

function anchorRules(cursor: Cursor, word: string, section: PfSection): PfRule[] {
  const anchor = cursor.take();
  const direction = takeDirection(cursor);
  const head = `${word} "${anchor}"${direction ? ` ${direction}` : ''}`;
  const tail = section === 'scrub' ? 'fragment reassemble' : '';
  const fixed = { section, action: 'anchor' as const, anchor, quick: false, ...(direction ? { direction } : {}) };
  return expand(fixed, parseMatch(cursor), { head, tail });
}

function filterRules(cursor: Cursor, action: 'pass' | 'block'): PfRule[] {
  const policy = action === 'block' ? (cursor.optional('drop', 'return', 'return-rst', 'return-icmp') ?? 'drop') : '';
  const direction = takeDirection(cursor);
  const log = cursor.optional('log');
  const quick = cursor.optional('quick') !== undefined;
  const match = parseMatch(cursor);
  const options = filterOptions(cursor);
  const head = [action, policy, direction, log, quick && 'quick'].filter(part => part).join(' ');
  const { icmpType } = options;
  const narrowed = { ...(direction ? { direction } : {}), ...(icmpType ? { icmpType } : {}) };
  const fixed = { section: 'filter' as const, action, quick, ...narrowed };
  return expand(fixed, match, protocol => ({ head, tail: stateText(action, protocol, options) }));
}

interface FilterOptions {
  readonly flags: string | undefined;
  readonly state: string | undefined;
  readonly icmpType: string | undefined;
  readonly rest: readonly string[];
}

function filterOptions(cursor: Cursor): FilterOptions {
  let flags: string | undefined;
  let state: string | undefined;
  let icmpType: string | undefined;
  const rest: string[] = [];
  while (cursor.next !== undefined) {
    const word = cursor.take();
    if (word === 'flags') flags = cursor.take();
    else if (['keep', 'modulate', 'synproxy', 'no'].includes(word)) {
      cursor.expect('state');
      state = word;
    } else if (word === 'label') rest.push(`label "${cursor.take()}"`);
    else if (word === 'icmp-type' || word === 'icmp6-type') {
      icmpType = cursor.take();
      rest.push(`${word} ${icmpType}`);
    } else throw new PfSyntaxError('syntax error');
  }
  return { flags, state, icmpType, rest };
}

/** A pass rule keeps state by default, and checks for SYN only where the protocol may be TCP (derived: pf.conf(5)). */
function stateText(action: string, protocol: string | undefined, options: FilterOptions): string {
  const state = options.state ?? (action === 'pass' ? 'keep' : undefined);
  const keeps = state !== undefined && state !== 'no';
  const flags = options.flags ?? (keeps && (protocol === undefined || protocol === 'tcp') ? 'S/SA' : undefined);
  return [flags && `flags ${flags}`, state && `${state} state`, ...options.rest].filter(part => part).join(' ');
}

function scrubRules(cursor: Cursor): PfRule[] {
  const direction = takeDirection(cursor);
  const match = parseMatch(cursor);
  const options: string[] = [];
  while (cursor.next !== undefined) {
    const word = cursor.take();
    if (['no-df', 'random-id'].includes(word)) options.push(word);
    else if (['max-mss', 'min-ttl', 'fragment', 'reassemble'].includes(word)) options.push(`${word} ${cursor.take()}`);
    else throw new PfSyntaxError('syntax error');
  }
  if (!options.some(option => option.startsWith('fragment'))) options.push('fragment reassemble');
  const fixed = { section: 'scrub' as const, action: 'normalize' as const, quick: false };
  const head = direction ? `scrub ${direction}` : 'scrub';
  return expand({ ...fixed, ...(direction ? { direction } : {}) }, match, { head, tail: options.join(' ') });
}

function translations(cursor: Cursor, word: string, action: 'translate' | 'do not translate'): PfRule[] {
  if (word !== 'nat' && word !== 'rdr') throw new PfSyntaxError('syntax error');
  cursor.optional('pass');
  const match = parseMatch(cursor);
  const target = action === 'translate' ? translationTarget(cursor) : undefined;
  if (cursor.next !== undefined) throw new PfSyntaxError('syntax error');
  const head = action === 'translate' ? word : `no ${word}`;
  const fixed = { section: word, action, quick: true, ...(target ? { target } : {}) } as const;
  return expand(fixed, match, { head, tail: target ? `-> ${target}` : '' });
}

function translationTarget(cursor: Cursor): string {
  cursor.expect('->');
  const words: string[] = [];
  while (cursor.next !== undefined) words.push(cursor.take());
  if (words.length === 0) throw new PfSyntaxError('syntax error');
  const text = words.join(' ').replace(/\( (\S+) \)/g, '($1)');
  // pf prints the pool type of a dynamic address (derived).
  return text.startsWith('(') && !text.includes('static-port') ? `${text} round-robin` : text;
}

const takeDirection = (cursor: Cursor): 'in' | 'out' | undefined =>
  cursor.optional('in', 'out') as 'in' | 'out' | undefined;

type RuleText = { readonly head: string; readonly tail: string };
type RuleHead = Pick<PfRule, 'section' | 'action' | 'quick' | 'direction' | 'anchor' | 'target' | 'icmpType'>;

/** Returns one rule for each combination, in pf's order. */
function expand(
  fixed: RuleHead,
  match: RuleMatch,
  words: RuleText | ((protocol: string | undefined) => RuleText),
): PfRule[] {
  let drafts: RuleDraft[] = [{ ...fixed, ...(match.family ? { family: match.family } : {}), from: ANY, to: ANY }];
  drafts = times(drafts, match.interfaces, value => ({ interface: value }));
  drafts = times(drafts, match.protocols, value => ({ protocol: value }));
  drafts = times(drafts, match.from, value => ({ from: value }));
  drafts = times(drafts, match.fromPorts, value => ({ fromPorts: value }));
  drafts = times(drafts, match.to, value => ({ to: value }));
  drafts = times(drafts, match.toPorts, value => ({ toPorts: value }));
  return drafts.map(draft => {
    const ported = draft.fromPorts ?? draft.toPorts;
    if (ported && draft.protocol !== 'tcp' && draft.protocol !== 'udp')
      throw new PfSyntaxError('port only applies to tcp/udp');
    const family = familyOf(draft);
    const text = printRule(draft, typeof words === 'function' ? words(draft.protocol) : words);
    return { ...draft, ...(family ? { family } : {}), text };
  });
}

type RuleDraft = Omit<PfRule, 'text'>;

/** An empty list leaves the drafts unchanged. */
const times = <T>(drafts: RuleDraft[], values: readonly T[], field: (value: T) => Partial<RuleDraft>): RuleDraft[] =>
  values.length === 0 ? drafts : drafts.flatMap(draft => values.map(value => ({ ...draft, ...field(value) })));

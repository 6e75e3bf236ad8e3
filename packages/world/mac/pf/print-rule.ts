import type { Host, Rule } from './rule.ts';

/** The words before the match (`block drop in quick`) and after it (`flags S/SA keep state`). */
export interface RuleWords {
  readonly head: string;
  readonly tail: string;
}

/** A rule in pf's own normal form: what `pfctl -s` shows, which is not what was written. */
export function printRule(rule: Omit<Rule, 'text'>, words: RuleWords): string {
  const parts = [words.head, interfaceText(rule), familyOf(rule), rule.protocol && `proto ${rule.protocol}`];
  return [...parts, addresses(rule), words.tail].filter(part => part !== undefined && part !== '').join(' ');
}

const interfaceText = (rule: Omit<Rule, 'text'>): string | undefined =>
  rule.interface && `on ${rule.interface.negated ? '! ' : ''}${rule.interface.name}`;

/** An address fixes the family, so pf prints it even where nobody wrote it. */
export const familyOf = (rule: Omit<Rule, 'text'>): 'inet' | 'inet6' | undefined =>
  rule.family ??
  [rule.from, rule.to].map(host => (host.kind === 'network' ? host.network.family : undefined)).find(family => family);

function addresses(rule: Omit<Rule, 'text'>): string {
  const open = rule.from.kind === 'any' && rule.to.kind === 'any' && !rule.fromPorts && !rule.toPorts;
  if (open) return 'all';
  const from = [`from ${hostText(rule.from)}`, rule.fromPorts?.text];
  return [...from, `to ${hostText(rule.to)}`, rule.toPorts?.text].filter(part => part).join(' ');
}

function hostText(host: Host): string {
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

import { type Cursor, PfSyntaxError } from './cursor.ts';
import { parseNetwork } from './network.ts';
import type { PfHost, PortRange } from './rule.ts';

/** Match part of a rule. Lists are still lists here; the caller expands them into single rules. */
export interface RuleMatch {
  readonly interfaces: readonly { readonly name: string; readonly negated: boolean }[];
  readonly family?: 'inet' | 'inet6';
  readonly protocols: readonly string[];
  readonly from: readonly PfHost[];
  readonly fromPorts: readonly PortRange[];
  readonly to: readonly PfHost[];
  readonly toPorts: readonly PortRange[];
}

/**
 * From /etc/services: pfctl prints a name if there is one, even for a port written as a number (derived: pfctl's
 * print_port).
 */
const SERVICES: Readonly<Record<string, number>> = { ssh: 22, domain: 53, http: 80, https: 443, terabase: 4000 };
const PROTOCOLS = new Set(['tcp', 'udp', 'icmp', 'icmp6', 'ipv6-icmp', 'esp', 'ah', 'gre', 'ospf', 'igmp']);
const ANY: PfHost = { kind: 'any' };

/** `on en0 inet proto { tcp udp } from <a> port 1:2 to ! 10/8 port 22`, each part optional and in this order. */
export function parseMatch(cursor: Cursor): RuleMatch {
  const interfaces = cursor.optional('on') ? cursor.list(() => interfaceName(cursor)) : [];
  const family = cursor.optional('inet', 'inet6') as 'inet' | 'inet6' | undefined;
  const protocols = cursor.optional('proto') ? cursor.list(() => protocol(cursor)) : [];
  const wholly = cursor.optional('all') !== undefined;
  const from = !wholly && cursor.optional('from') ? cursor.list(() => host(cursor)) : [ANY];
  const fromPorts = !wholly ? ports(cursor) : [];
  const to = !wholly && cursor.optional('to') ? cursor.list(() => host(cursor)) : [ANY];
  const toPorts = !wholly ? ports(cursor) : [];
  return { interfaces, ...(family ? { family } : {}), protocols, from, fromPorts, to, toPorts };
}

function interfaceName(cursor: Cursor): { name: string; negated: boolean } {
  const negated = cursor.optional('!') !== undefined;
  const name = cursor.take();
  if (!/^[a-z]+\d*$/.test(name)) throw new PfSyntaxError('syntax error');
  return { name, negated };
}

function protocol(cursor: Cursor): string {
  const name = cursor.take();
  if (!PROTOCOLS.has(name) && !/^\d+$/.test(name)) throw new PfSyntaxError(`unknown protocol ${name}`);
  return name;
}

function host(cursor: Cursor): PfHost {
  const negated = cursor.optional('!') !== undefined;
  if (cursor.optional('any')) return ANY;
  if (cursor.optional('(')) {
    const text = `(${cursor.take()})`;
    cursor.expect(')');
    return { kind: 'interface', text, negated };
  }
  const word = cursor.take();
  if (word.startsWith('<')) return { kind: 'table', name: word.slice(1, -1), negated };
  const network = parseNetwork(word);
  if (network) return { kind: 'network', network, negated };
  if (/^([a-z]+\d+|self)(:(network|broadcast|peer|0))?$/.test(word)) return { kind: 'interface', text: word, negated };
  throw new PfSyntaxError('could not parse host specification');
}

function ports(cursor: Cursor): PortRange[] {
  return cursor.optional('port') ? cursor.list(() => port(cursor)) : [];
}

function port(cursor: Cursor): PortRange {
  const operator = cursor.optional('=', '!=', '<', '>', '<=', '>=') ?? '=';
  const [first = '', last] = cursor.take().split(':');
  const low = portNumber(first);
  if (last !== undefined) {
    const high = portNumber(last);
    return { low, high, negated: false, text: `port ${low}:${high}` };
  }
  const name = Object.entries(SERVICES).find(([, number]) => number === low)?.[0] ?? String(low);
  switch (operator) {
    case '!=':
      return { low, high: low, negated: true, text: `port != ${name}` };
    case '<':
    case '<=':
      return { low: 0, high: operator === '<' ? low - 1 : low, negated: false, text: `port ${operator} ${low}` };
    case '>':
    case '>=':
      return { low: operator === '>' ? low + 1 : low, high: 65_535, negated: false, text: `port ${operator} ${low}` };
    default:
      return { low, high: low, negated: false, text: `port = ${name}` };
  }
}

function portNumber(text: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : SERVICES[text];
  if (number === undefined) throw new PfSyntaxError(`unknown port ${text}`);
  if (number > 65_535) throw new PfSyntaxError(`illegal port value ${number}`);
  return number;
}

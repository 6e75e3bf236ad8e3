import { HOST_EGRESS_INVALID } from './errors.ts';
import { type Network, parseNetwork } from './network.ts';
import type { Allowance, VmEgressWant } from './want.ts';

/** What is wanted, with every word understood: nothing else is ever rendered. */
export interface Egress {
  readonly guests: readonly Network[];
  readonly blocked: readonly Network[];
  readonly allow: readonly (Omit<Allowance, 'to'> & { readonly to: Network })[];
}

type Family = Network['family'];

// A wider range would hold addresses of the host and of those who reach it: the filter would cut us off.
const WIDEST: Readonly<Record<Family, number>> = { inet: 16, inet6: 48 };

/** Throws HOST_EGRESS_INVALID with the first thing that is wrong. */
export function checkWant({ guests, blocked, allow }: VmEgressWant): Egress {
  const own = [rangeOf('guests.v4', guests.v4, 'inet')];
  if (guests.v6 !== undefined) own.push(rangeOf('guests.v6', guests.v6, 'inet6'));
  const kept = [
    ...blocked.v4.map((text, at) => networkOf(`blocked.v4[${at}]`, text, 'inet')),
    ...blocked.v6.map((text, at) => networkOf(`blocked.v6[${at}]`, text, 'inet6')),
  ];
  if (kept.length === 0) refuse('blocked', 'empty', 'which is a filter that lets everything through');
  return { guests: own, blocked: kept, allow: allow.map((one, at) => allowanceOf(`allow[${at}]`, one, own)) };
}

function rangeOf(field: string, text: string, family: Family): Network {
  const range = networkOf(field, text, family);
  if (range.prefix < WIDEST[family])
    refuse(field, text, `wider than /${WIDEST[family]}, so it may hold the host itself`);
  return range;
}

function networkOf(field: string, text: string, family?: Family): Network {
  const parsed = parseNetwork(text);
  if ('problem' in parsed) refuse(field, text, parsed.problem);
  if (family && parsed.family !== family) refuse(field, text, `not of ${family === 'inet' ? 'IPv4' : 'IPv6'}`);
  return parsed;
}

function allowanceOf(field: string, { to, ports, protocols }: Allowance, guests: readonly Network[]) {
  const network = networkOf(`${field}.to`, to);
  if (!guests.some(({ family }) => family === network.family))
    refuse(`${field}.to`, to, 'while guests.v6 is not given: nobody could use it');
  const [low, high = low] = /^[1-9]\d{0,4}(:[1-9]\d{0,4})?$/.test(ports) ? ports.split(':').map(Number) : [];
  if (low === undefined || high === undefined || low > high || high > 65_535)
    refuse(`${field}.ports`, ports, 'neither a port nor a range such as 30000:32767');
  if (protocols.length === 0 || !protocols.every(name => ['tcp', 'udp'].includes(name)))
    refuse(`${field}.protocols`, protocols.join(' ') || 'empty', 'wanted tcp, udp or both');
  return { to: network, ports, protocols };
}

function refuse(field: string, value: string, problem: string): never {
  throw HOST_EGRESS_INVALID({ field, value, problem });
}

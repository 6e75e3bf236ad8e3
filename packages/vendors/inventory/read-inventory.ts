import type { Server } from '../vendor.ts';
import { type HostFields, problemsOfHost } from './host-fields.ts';
import { hostId } from './host-id.ts';
import { imageNamed } from './image-named.ts';
import type { InventoryProblem } from './inventory-problem.ts';
import { yamlEntries } from './yaml-entries.ts';

export interface InventoryReading {
  /** Valid hosts, with the names in the inventory. */
  readonly hosts: readonly Server[];
  readonly problems: readonly InventoryProblem[];
}

/** Parses the inventory. An invalid host is reported and omitted; the others are returned. */
export function readInventory(text: string): InventoryReading {
  const { entries, problems } = yamlEntries(text);
  const hosts: Server[] = [];
  const found = entries.flatMap(({ line, value }, index) => {
    const entry = readEntry(value, hosts);
    if ('host' in entry) hosts.push(entry.host);
    const label = nameOf(value) ?? `host ${index + 1}`;
    return entry.problems.map(words => ({ line, words: `${label}: ${words}` }));
  });
  return { hosts, problems: [...problems, ...found] };
}

type InventoryEntry =
  | { readonly host: Server; readonly problems: readonly [] }
  | { readonly problems: readonly string[] };

/** Omits the second of two entries for one Mac, because both could be claimed. */
function readEntry(value: unknown, before: readonly Server[]): InventoryEntry {
  if (!isMap(value)) return { problems: ['not a host; write its fields, starting with "- name: …"'] };
  const problems = problemsOfHost(value);
  if (problems.length > 0) return { problems };
  const host = hostOf(value as unknown as HostFields);
  const twin = before.find(other => other.id === host.id || placeOf(other) === placeOf(host));
  return twin ? { problems: [`same Mac as ${twin.name}; remove one of the two entries`] } : { host, problems: [] };
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nameOf = (value: unknown): string | undefined =>
  isMap(value) && typeof value['name'] === 'string' ? value['name'] : undefined;

function hostOf({ id, port, os, ...fields }: HostFields): Server {
  const host = { ...fields, ...(port !== undefined && { sshPort: port }) };
  return {
    ...host,
    id: id?.toLowerCase() ?? hostId(placeOf(host)),
    image: imageNamed(os),
    state: 'ready',
    stateWord: 'in the inventory',
  };
}

/** Address, with the port if it is not 22, because many Macs can share one address. */
function placeOf({ address, sshPort = 22 }: Pick<Server, 'address' | 'sshPort'>): string {
  const place = address?.toLowerCase() ?? '';
  return sshPort === 22 ? place : `${place}:${sshPort}`;
}

import { createHash } from 'node:crypto';
import type { Image, Server } from '../vendor.ts';
import { type HostFields, problemsOfHost } from './host-fields.ts';
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

/** UUID namespace. It must never change, because host ids in running clusters derive from it. */
const NAMESPACE = 'b1d4e6a2-6c1f-4f7b-9a55-0d2a7c3e8f10';

/** Derives a stable UUID from address and port (version 5 of RFC 9562). */
function hostId(place: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(place)
    .digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** `macos-golden-gate-27.0` is Golden Gate 27.0. */
function imageNamed(name: string): Image {
  const [, family = name, version = ''] = /^(?:macos-)?(.*?)-([0-9].*)$/.exec(name) ?? [];
  const words = family.split('-').map(word => word.charAt(0).toUpperCase() + word.slice(1));
  return { name, family: words.join(' '), version, beta: /beta/i.test(version) };
}

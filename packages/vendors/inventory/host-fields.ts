/** A field of an inventory host: accepted values, and the hint for invalid ones. */
interface Field {
  readonly required: boolean;
  readonly accepts: (value: unknown) => boolean;
  readonly write: string;
}

const text =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && pattern.test(value);

const required = (pattern: RegExp, write: string): Field => ({ required: true, accepts: text(pattern), write });
const optional = (accepts: Field['accepts'], write: string): Field => ({ required: false, accepts, write });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const FIELDS: Readonly<Record<string, Field>> = {
  name: required(/^\S{1,63}$/, 'a name without spaces such as mini-01, in quotes if it is a number'),
  zone: required(
    /^[a-z]{2}-[a-z]{3}-[0-9]+$/,
    'a zone such as fr-par-1; for your own data center, a name of the same form',
  ),
  address: required(/^[A-Za-z0-9][A-Za-z0-9.:-]*$/, 'the IP address or DNS name for SSH, without a port'),
  user: required(/^[A-Za-z_][\w.-]*$/, 'the account to log in with, such as m1'),
  type: required(/^\S+$/, 'the type of the Mac, as in spec.type of the machines, such as M2-L'),
  os: required(/^[a-z]+(-[a-z]+)+-[0-9][0-9A-Za-z.-]*$/, 'the macOS image of the Mac, such as macos-tahoe-26.3'),
  id: optional(text(UUID), 'a UUID (default: derived from the address)'),
  port: optional(
    value => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535,
    'the SSH port, a number from 1 to 65535 (default: 22)',
  ),
};

/** A host that has no problems. */
export interface HostFields {
  readonly name: string;
  readonly zone: string;
  readonly address: string;
  readonly user: string;
  readonly type: string;
  readonly os: string;
  readonly id?: string;
  readonly port?: number;
}

/** Returns all problems of one host, each with what to write. */
export function problemsOfHost(host: Readonly<Record<string, unknown>>): readonly string[] {
  const unknown = Object.keys(host).filter(name => !Object.hasOwn(FIELDS, name));
  return [
    ...Object.entries(FIELDS).flatMap(([name, field]) => problemOf(name, field, host[name]) ?? []),
    ...unknown.map(unknownField),
  ];
}

function problemOf(name: string, { required: needed, accepts, write }: Field, value: unknown): string | undefined {
  if (value === undefined || value === null) return needed ? `${name} is missing; write ${write}` : undefined;
  return accepts(value) ? undefined : `${name} is ${JSON.stringify(value)}; write ${write}`;
}

/** The message does not repeat the value, because it may be a secret. */
const unknownField = (name: string): string =>
  /pass|secret|key/i.test(name)
    ? `${name} does not belong in the inventory, which is not confidential; move it to a Secret`
    : `${name} is not a field of a host; valid fields: ${Object.keys(FIELDS).join(', ')}`;

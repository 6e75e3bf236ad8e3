import { hostCredentialKeys, hostCredentialsSecret, type MacHost } from '@minifleet/api';
import { type Client, isForbidden, type KubeSecret, secrets } from '@minifleet/kube/client';
import { type Diagnosis, healthy, problem, unknown } from '../diagnosis/diagnosis.ts';
import { hostPort } from '../host/address.ts';
import { type ResolveDeps, resolveAddress } from '../host/resolve-address.ts';

/** Identity of a Mac. */
export interface MacIdentity {
  /** IP address or DNS name, and SSH port. Absent for a server of a vendor whose address is not known. */
  readonly place?: { readonly host: string; readonly port: number } | undefined;
  /** IP addresses of the place, as this computer resolves it. */
  readonly addresses: readonly string[];
  /** Fingerprint of the SSH host key. */
  readonly hostKey?: string | undefined;
}

/** A MacHost and the Mac that it stands for. */
export interface DeclaredMac extends MacIdentity {
  readonly name: string;
  readonly rented: boolean;
  /** Reason why a pinned host key could not be read. */
  readonly unreadable?: string;
}

/** Returns why two identities are one Mac; undefined if nothing shows it. A Mac can be declared by name and by address. */
export function sameMac(one: MacIdentity, other: MacIdentity): string | undefined {
  const [place, otherPlace] = [one.place, other.place];
  if (place && otherPlace?.port === place.port) {
    if (otherPlace.host === place.host) return `it has the address ${hostPort(place)}`;
    const address = one.addresses.find(each => other.addresses.includes(each));
    if (address !== undefined) return `its address ${hostPort(otherPlace)} is ${address}`;
  }
  if (one.hostKey !== undefined && one.hostKey === other.hostKey) return `it has the SSH host key ${one.hostKey}`;
  return undefined;
}

/** Identity of the Mac that the user addresses, with the host key that it has proven. */
export async function identityOf(
  place: NonNullable<MacIdentity['place']>,
  hostKey: string | undefined,
  deps: ResolveDeps,
): Promise<MacIdentity> {
  return { place, addresses: await resolveAddress(place.host, deps), hostKey };
}

interface ReadDeps extends ResolveDeps {
  readonly client: Client;
  /** Namespace of the credentials of an owned Mac that no machine holds. */
  readonly namespace: string;
}

/** Reads the identity of each MacHost. The provider pins the host key of the first connection in the Secret of the host. */
export const readDeclaredMacs = (hosts: readonly MacHost[], deps: ReadDeps): Promise<readonly DeclaredMac[]> =>
  Promise.all(
    hosts.map(async host => {
      const place = placeOf(host);
      const [addresses, key] = await Promise.all([
        place ? resolveAddress(place.host, deps) : [],
        pinnedKey(host, deps),
      ]);
      return { name: host.metadata.name, rented: !host.spec.source.owned, place, addresses, ...key };
    }),
  );

const SSH = 22;

function placeOf({ spec: { source }, status }: MacHost): MacIdentity['place'] {
  if (source.owned) return { host: source.owned.address, port: source.owned.port };
  const host = status?.addresses?.find(({ type }) => type === 'ExternalIP')?.address;
  return host === undefined ? undefined : { host, port: SSH };
}

async function pinnedKey(
  { metadata, spec }: MacHost,
  { client, namespace: fallback }: ReadDeps,
): Promise<Pick<DeclaredMac, 'hostKey' | 'unreadable'>> {
  const { owned } = spec.source;
  if (owned?.hostKey !== undefined) return { hostKey: owned.hostKey };
  // The credentials of a rented Mac are deleted when its machine releases it.
  const namespace = spec.consumerRef?.namespace ?? (owned ? fallback : undefined);
  if (namespace === undefined) return {};
  try {
    return { hostKey: keyIn(await client.find(secrets, { namespace, name: hostCredentialsSecret(metadata.name) })) };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { unreadable: `you are not allowed to get Secrets in namespace ${namespace}` };
  }
}

function keyIn(secret: KubeSecret | undefined): string | undefined {
  const data = secret?.data?.[hostCredentialKeys.hostKey];
  return data ? Buffer.from(data, 'base64').toString('utf8').trim() : undefined;
}

/** Checks that at most one MacHost stands for a Mac: of two, two machines would claim one Mac. */
export function checkUnique(mac: MacIdentity, declared: readonly DeclaredMac[]): Diagnosis {
  const same = declared.flatMap(({ name, ...other }) => {
    const why = sameMac(mac, other);
    return why === undefined ? [] : [{ name, why }];
  });
  if (same.length > 1)
    return problem(
      'MacHost',
      `several MacHosts are this Mac: ${same.map(({ name, why }) => `${name} (${why})`).join(', ')}`,
      `keep one of them, and delete each other that no machine holds: kubectl delete machost ${same.at(-1)?.name}`,
    );
  const state = same[0] ? `declared as ${same[0].name}` : 'not declared yet';
  const doubt = undecided(declared.filter(({ name }) => name !== same[0]?.name));
  return doubt === undefined ? healthy('MacHost', state) : unknown('MacHost', `${state}; ${doubt}`);
}

/** Describes the MacHosts that may be the same Mac, because too little is known about them. Undefined if there are none. */
export function undecided(declared: readonly DeclaredMac[]): string | undefined {
  const unread = declared.filter(({ unreadable }) => unreadable !== undefined);
  const unresolved = declared.filter(
    ({ place, addresses, hostKey }) => place && addresses.length === 0 && hostKey === undefined,
  );
  const parts = [
    ...(unread.length > 0 ? [`the host keys of ${namesOf(unread)} (${unread[0]?.unreadable})`] : []),
    ...(unresolved.length > 0 ? [`${namesOf(unresolved)} (the address does not resolve on this computer)`] : []),
  ];
  return parts.length === 0 ? undefined : `not compared: ${parts.join('; ')}`;
}

const namesOf = (declared: readonly DeclaredMac[]): string => declared.map(({ name }) => name).join(', ');

import type { MacHost } from '@minifleet/api';
import { type Diagnosis, healthy, problem, unknown } from '../diagnosis/diagnosis.ts';
import { hostPort } from '../host/address.ts';
import { type DeclaredMac, type MacIdentity, sameMac, undecided } from '../prepare/same-mac.ts';

/** MacHost of an owned Mac, as it is applied. */
export interface OwnedMacManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly source: { readonly owned: NonNullable<MacHost['spec']['source']['owned']> };
    readonly pool: string;
  };
}

/** Checks that a MacHost stands for exactly one Mac: two MacHosts of one Mac would let two machines claim it. */
export function checkDeclared(name: string, mac: MacIdentity, declared: readonly DeclaredMac[]): Diagnosis {
  const check = 'MacHost';
  for (const other of declared) {
    const why = other.name === name ? undefined : sameMac(mac, other);
    if (why !== undefined) return problem(check, `MacHost ${other.name} is this Mac: ${why}`, adviceFor(other, mac));
  }
  const named = declared.find(other => other.name === name);
  if (named && !isAt(mac, named)) return problem(check, ...takenName(named, mac));
  const state = named ? `${name} is declared` : `${name} is free`;
  const doubt = undecided(declared.filter(other => other.name !== name));
  return doubt === undefined ? healthy(check, state) : unknown(check, `${state}; ${doubt}`);
}

const isAt = ({ place }: MacIdentity, other: DeclaredMac): boolean =>
  !other.rented && place !== undefined && other.place?.host === place.host && other.place.port === place.port;

function adviceFor(other: DeclaredMac, mac: MacIdentity): string {
  if (other.rented) return 'do not add a server of Scaleway: the provider declares it itself';
  const { name, place } = other;
  const remove = `remove the other: minifleet host remove ${name}`;
  if (isAt(mac, other)) return `pass --name ${name} to prepare this Mac again, or ${remove}`;
  const at = place ? ` with the address ${hostPort(place)}` : '';
  const again = `to prepare this Mac again, run this command${at} and --name ${name}; or ${remove}`;
  if (mac.addresses.some(address => other.addresses.includes(address))) return again;
  return `${again}; if these are two Macs with a copied disk, create new host keys on one of them: sudo rm /etc/ssh/ssh_host_*`;
}

function takenName(named: DeclaredMac, mac: MacIdentity): [message: string, fix: string] {
  const { name, place, rented } = named;
  const where = rented || !place ? 'is a server of Scaleway' : `already has the address ${hostPort(place)}`;
  const same = rented ? undefined : sameMac(mac, named);
  if (same !== undefined && place)
    return [
      `MacHost ${name} ${where} and is this Mac: ${same}`,
      `run this command with the address ${hostPort(place)}; if this Mac has a new address: kubectl edit machost ${name}`,
    ];
  return [
    `MacHost ${name} ${where}`,
    `choose another name with --name; if this Mac has a new address: kubectl edit machost ${name}`,
  ];
}

/** Name of a MacHost from the host name of its Mac: `Annas-Mac-mini` becomes `annas-mac-mini`. */
export const hostNameFrom = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, 63);

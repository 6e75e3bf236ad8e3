import type { MacHost } from '@minifleet/api';
import { type Diagnosis, healthy, problem } from '../diagnosis/diagnosis.ts';

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

/** Checks that a MacHost stands for exactly one Mac: two with one address would let two machines claim one Mac. */
export function checkDeclared({ metadata, spec }: OwnedMacManifest, hosts: readonly MacHost[]): Diagnosis[] {
  const { address, port } = spec.source.owned;
  const isHere = ({ spec: { source } }: MacHost): boolean =>
    source.owned?.address === address && source.owned.port === port;
  const same = hosts.find(host => isHere(host) && host.metadata.name !== metadata.name);
  const named = hosts.find(host => host.metadata.name === metadata.name);
  if (same)
    return [
      problem(
        'MacHost',
        `MacHost ${same.metadata.name} already has the address ${address}:${port}`,
        `pass --name ${same.metadata.name} to prepare this Mac again, or remove the other: minifleet host remove ${same.metadata.name}`,
      ),
    ];
  if (named && !isHere(named)) {
    const other = named.spec.source.owned;
    const where = other ? `the address ${other.address}:${other.port}` : 'a server of Scaleway';
    return [
      problem(
        'MacHost',
        `MacHost ${metadata.name} already has ${where}`,
        `choose another name with --name; if this Mac has a new address: kubectl edit machost ${metadata.name}`,
      ),
    ];
  }
  return [healthy('MacHost', named ? `${metadata.name} is declared` : `${metadata.name} is free`)];
}

/** Name of a MacHost from the host name of its Mac: `Annas-Mac-mini` becomes `annas-mac-mini`. */
export const hostNameFrom = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/^[.-]+|[.-]+$/g, '')
    .slice(0, 63);

import { type MachineAddress, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Server } from '@minifleet/vendors';

/** What core and people are shown of the claimed host. Addresses that the host itself told stay. */
export function showHost(samm: ScalewayAppleSiliconMachine, server: Server): void {
  samm.spec.providerID ??= `${names.providerIDScheme}://${server.zone}/${server.id}`;
  samm.status = {
    ...samm.status,
    addresses: withExternal(samm.status?.addresses ?? [], server.address),
    failureDomain: server.zone,
    osImage: server.image.name,
  };
}

export function withExternal(addresses: readonly MachineAddress[], address: string | undefined): MachineAddress[] {
  const others = addresses.filter(({ type }) => type !== 'ExternalIP');
  return address === undefined ? [...others] : [{ type: 'ExternalIP', address }, ...others];
}

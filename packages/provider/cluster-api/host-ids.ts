import { type InfraMachine, type MacHost, names } from '@minifleet/api';

/** `scw-applesilicon://<zone>/<server id>`, or `machost://<name>` for an owned Mac. */
export function providerIDOf({ metadata, spec }: MacHost): string {
  const { scaleway } = spec.source;
  return scaleway
    ? `${names.providerIDScheme}://${scaleway.zone}/${scaleway.serverID}`
    : `${names.ownedProviderIDScheme}://${metadata.name}`;
}

/** Name of the host that a providerID names. */
export const hostOfProviderID = (providerID: string | undefined): string | undefined => providerID?.split('/').at(-1);

/** Host that a machine names: in its claim, in its providerID, or in the status of the previous system. */
export const namedHost = ({ spec, status }: Pick<InfraMachine, 'spec' | 'status'>): string | undefined =>
  spec.claimRef?.name ?? hostOfProviderID(spec.providerID) ?? (status as { serverID?: string } | undefined)?.serverID;

import { type InfraMachine, type MacHost, names } from '@minifleet/api';
import { isConditionTrue } from '@minifleet/kube';

/** `scw-applesilicon://<zone>/<server id>`, or `machost://<name>` for an owned Mac. */
export function providerIDOf({ metadata, spec }: MacHost): string {
  const { scaleway } = spec.source;
  return scaleway
    ? `${names.providerIDScheme}://${scaleway.zone}/${scaleway.serverID}`
    : `${names.ownedProviderIDScheme}://${metadata.name}`;
}

/** Name of the host that a providerID names. */
export const hostOfProviderID = (providerID: string | undefined): string | undefined => providerID?.split('/').at(-1);

/** Server id in the status of a machine. Empty if an operator cleared it; machines of other kinds have no such field. */
export const serverIDOf = ({ status }: Pick<InfraMachine, 'status'>): string | undefined =>
  (status as { serverID?: string } | undefined)?.serverID || undefined;

/** Host that a machine names: in its claim, in its providerID, or in the status of the previous system. */
export const namedHost = (machine: InfraMachine): string | undefined =>
  machine.spec.claimRef?.name ?? hostOfProviderID(machine.spec.providerID) ?? olderHost(machine);

/** Condition with which the previous system reports that a machine has a host. */
const PROVISIONED = 'Provisioned';

/**
 * Host of a machine that was not taken over yet. Otherwise a machine whose host was given up, and whose provider was killed before it wrote
 * the status, would claim that host again.
 */
const olderHost = (machine: InfraMachine): string | undefined =>
  isConditionTrue(machine, PROVISIONED) && !isConditionTrue(machine, 'HostClaimed') ? serverIDOf(machine) : undefined;

/**
 * True if the server had the name of its machine before its MacHost was claimed: the machine held it in the previous system, or with an
 * earlier MacHost.
 */
export const isTakenOver = ({ spec }: Pick<MacHost, 'spec'>): boolean =>
  spec.source.scaleway !== undefined && spec.consumerRef !== undefined && spec.originalName === undefined;

import { type HostClaim, isOfFamily, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import { deleting } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import { timesFailed } from './failure-record.ts';
import { inPool, isPending } from './host-names.ts';
import { isPutAside } from './quarantine.ts';

/** What a machine asks of a host. */
export interface Demand {
  readonly prefix: string;
  readonly spec: Pick<ScalewayAppleSiliconMachine['spec'], 'zone' | 'type' | 'os'>;
  readonly clusterId: string;
  readonly now: number;
}

export interface Choice {
  /** Best first. */
  readonly hosts: readonly Server[];
  /** Counts what there is and why each was passed over. */
  readonly why: string;
}

/** Which hosts of a zone a machine may take, from what the vendor lists and the claims there are. */
export function chooseHosts(
  demand: Demand,
  servers: readonly Server[],
  claimOf: (id: string) => HostClaim | undefined,
): Choice {
  const pool = servers.filter(server => isCandidate(server, demand, claimOf(server.id)));
  const verdicts = pool.map(server => ({ server, obstacle: obstacleTo(demand, server, claimOf(server.id)) }));
  const hosts = verdicts.filter(({ obstacle }) => obstacle === undefined).map(({ server }) => server);
  return { hosts: hosts.toSorted(bestFirst(claimOf)), why: sentence(demand, verdicts) };
}

/** A pending name is adopted only without a claim: with one, the claim knows better than the name. */
export function isCandidate({ name }: Server, { prefix }: Demand, claim?: HostClaim): boolean {
  return inPool(name, prefix) || (isPending(name) && claim?.spec.machineRef === undefined);
}

/** Why this host is not for this machine; undefined when it is. */
export function obstacleTo({ spec, clusterId, now }: Demand, server: Server, claim?: HostClaim): string | undefined {
  const { clusterID, machineRef } = claim?.spec ?? {};
  if (clusterID !== undefined && clusterID !== clusterId) return 'claimed by another cluster';
  if (machineRef) return 'held';
  if (claim && deleting(claim)) return 'being released';
  if (claim && isPutAside(claim, now)) return 'quarantined';
  if (server.type !== spec.type) return 'of another type';
  if (!isOfFamily(server.image, spec.os)) return 'of another macOS family';
  return server.state === 'ready' ? undefined : server.state;
}

/** Fewest failures first, then the one that failed longest ago or never; the id keeps the order the same for everybody. */
const bestFirst =
  (claimOf: (id: string) => HostClaim | undefined) =>
  (a: Server, b: Server): number => {
    const [one, other] = [claimOf(a.id)?.status?.failures, claimOf(b.id)?.status?.failures];
    return timesFailed(one) - timesFailed(other) || lastFailed(one) - lastFailed(other) || (a.id < b.id ? -1 : 1);
  };

const lastFailed = (failures: NonNullable<HostClaim['status']>['failures'] = []): number =>
  Math.max(0, ...failures.map(({ lastTime }) => Date.parse(lastTime)));

function sentence({ prefix, spec }: Demand, verdicts: readonly { readonly obstacle: string | undefined }[]): string {
  const pool = `pool ${prefix} in ${spec.zone}`;
  if (verdicts.length === 0) return `${pool} has no hosts`;
  const counts = new Map<string, number>();
  for (const { obstacle = 'free' } of verdicts) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
  const parts = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `${count} ${what}`);
  return [`${pool}: ${verdicts.length} ${verdicts.length === 1 ? 'host' : 'hosts'}`, ...parts].join(', ');
}

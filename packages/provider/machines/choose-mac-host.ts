import { type InfraMachine, isOfFamily, type MacHost, poolOf, zoneOf } from '@minifleet/api';
import { deleting } from '@minifleet/kube';

/** Requirements of a machine for its host. */
export interface HostRequirements {
  readonly pool: string;
  /** Absent for a machine that accepts every host of its pool, rented or owned. */
  readonly zone?: string | undefined;
  readonly type?: string | undefined;
  readonly os?: string | undefined;
  readonly clusterId: string;
  readonly now: number;
}

interface RequirementContext {
  readonly clusterId: string;
  readonly now: number;
  /** Pool of machines that name none. */
  readonly defaultPool: string;
}

export const requirementsOf = (
  machine: InfraMachine,
  { clusterId, now, defaultPool }: RequirementContext,
): HostRequirements => ({
  pool: poolOf(machine, defaultPool),
  zone: zoneOf(machine),
  type: machine.spec.type,
  os: machine.spec.os,
  clusterId,
  now,
});

export interface HostChoice {
  /** Best first. */
  readonly hosts: readonly MacHost[];
  /** Counts the hosts of the pool by the reason why they do not fit. */
  readonly why: string;
}

/** Hosts of the pool that the machine can claim. */
export function chooseMacHosts(required: HostRequirements, all: readonly MacHost[]): HostChoice {
  const pool = all.filter(host => isInPool(host, required));
  const judged = pool.map(host => ({ host, obstacle: obstacleTo(host, required) }));
  const hosts = judged.filter(({ obstacle }) => obstacle === undefined).map(({ host }) => host);
  return { hosts: hosts.toSorted(bestFirst), why: summary(required, judged) };
}

/** The name at the vendor decides for a free server, because an operator may have renamed it into another pool. */
function isInPool({ spec, status }: MacHost, { pool, zone }: HostRequirements): boolean {
  const { scaleway } = spec.source;
  if (zone === undefined) return spec.pool === pool;
  if (scaleway?.zone !== zone) return false;
  const name = spec.consumerRef ? spec.originalName : status?.vendorName;
  return (name ?? spec.pool).startsWith(pool);
}

/** Why the machine cannot claim the host; undefined if it can. */
function obstacleTo(host: MacHost, required: HostRequirements): string | undefined {
  const { spec, status } = host;
  if (spec.clusterID !== undefined && spec.clusterID !== required.clusterId) return 'claimed by another cluster';
  if (spec.consumerRef) return spec.release === undefined ? 'held' : 'being released';
  if (deleting(host)) return 'being deleted';
  if (spec.quarantine || isQuarantined(status?.quarantine, required.now)) return 'quarantined';
  if (status?.state === undefined) return 'not inspected yet';
  if (status.state === 'Missing') return 'missing at the vendor';
  return mismatchOf(host, required) ?? vendorObstacle(host);
}

/** An owned Mac has no vendor that reports a state. */
const vendorObstacle = ({ spec, status }: MacHost): string | undefined =>
  spec.source.owned || status?.vendorState === 'Ready'
    ? undefined
    : (status?.vendorState?.toLowerCase() ?? 'not listed yet');

/** Type or macOS that differs. A property that is not known yet is no obstacle. */
function mismatchOf({ spec, status }: MacHost, required: HostRequirements): string | undefined {
  const { owned } = spec.source;
  const { type = owned?.type, macOS = owned?.os } = status?.hardware ?? {};
  if (type && required.type !== undefined && type !== required.type) return 'of another type';
  return macOS && required.os !== undefined && !isOfFamily({ name: macOS }, required.os)
    ? 'of another macOS family'
    : undefined;
}

type Quarantine = NonNullable<MacHost['status']>['quarantine'];

const isQuarantined = (quarantine: Quarantine, now: number): boolean =>
  quarantine !== undefined && (quarantine.until === undefined || Date.parse(quarantine.until) > now);

/** Fewest failures first, then the host that failed longest ago or never; the name keeps the order stable. */
function bestFirst(one: MacHost, other: MacHost): number {
  const byCount = failureCount(one) - failureCount(other);
  if (byCount !== 0) return byCount;
  const byTime = lastFailure(one) - lastFailure(other);
  return byTime !== 0 ? byTime : one.metadata.name < other.metadata.name ? -1 : 1;
}

const failureCount = ({ status }: MacHost): number =>
  (status?.failures ?? []).reduce((sum, { count }) => sum + count, 0);

const lastFailure = ({ status }: MacHost): number =>
  Math.max(0, ...(status?.failures ?? []).map(({ lastTime }) => Date.parse(lastTime)));

function summary(
  { pool, zone }: HostRequirements,
  judged: readonly { readonly obstacle: string | undefined }[],
): string {
  const where = zone === undefined ? `pool ${pool}` : `pool ${pool} in ${zone}`;
  if (judged.length === 0) return `${where} has no hosts`;
  const counts = new Map<string, number>();
  for (const { obstacle = 'free' } of judged) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
  const parts = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `${count} ${what}`);
  return [`${where}: ${judged.length} ${judged.length === 1 ? 'host' : 'hosts'}`, ...parts].join(', ');
}

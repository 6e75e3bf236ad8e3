import type { HostClaim, ScalewayAppleSiliconMachine } from '@minifleet/api';
import { keyOf, keyString } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import { inPool, isPending } from '../claims/host-names.ts';
import { hostsNamedBy } from '../claims/named-hosts.ts';
import type { Cluster } from '../cluster-api/kinds.ts';
import { clusterKeyOf, judgeOrphan, type OrphanVerdict } from './judge-orphan.ts';
import type { ClaimCounts, ServerCounts } from './sweep-report.ts';

/** A fleet as plain data: what the vendor lists in the zones that were seen, and what the cluster says. */
export interface Fleet {
  readonly servers: readonly Server[];
  readonly claims: readonly HostClaim[];
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  readonly clusters: readonly Cluster[];
  readonly clusterId: string;
  readonly defaultPoolPrefix: string;
}

export interface Findings {
  readonly servers: ServerCounts;
  readonly claims: ClaimCounts;
  /** Claims to be acted on, each after it was read afresh. */
  readonly orphans: readonly HostClaim[];
}

export function findOrphans(fleet: Fleet): Findings {
  const servers = new Map(fleet.servers.map(server => [server.id, server]));
  const machines = new Map(fleet.machines.map(machine => [keyString(keyOf(machine)), machine]));
  const clusters = new Map(fleet.clusters.map(cluster => [keyString(keyOf(cluster)), cluster]));
  const judged = fleet.claims.map(claim => {
    const { machineRef } = claim.spec;
    const cluster = clusterKeyOf(claim);
    const verdict = judgeOrphan({
      claim,
      machine: machineRef && machines.get(keyString(machineRef)),
      cluster: cluster && clusters.get(keyString(cluster)),
      server: servers.get(claim.metadata.name),
      clusterId: fleet.clusterId,
    });
    return { claim, verdict };
  });
  return {
    servers: countServers(fleet),
    claims: countClaims(judged.map(({ verdict }) => verdict)),
    orphans: judged.filter(({ verdict }) => verdict === 'return' || verdict === 'let go').map(({ claim }) => claim),
  };
}

function countClaims(verdicts: readonly OrphanVerdict[]): ClaimCounts {
  const count = (...wanted: readonly OrphanVerdict[]): number => verdicts.filter(one => wanted.includes(one)).length;
  return {
    held: count('held'),
    orphaned: count('return', 'let go'),
    leftBehind: count('left behind'),
    elsewhere: count('elsewhere'),
    vanished: count('vanished'),
    unheld: count('unheld'),
  };
}

function countServers(fleet: Fleet): ServerCounts {
  const kinds = fleet.servers.map(kindOfServer(fleet));
  const count = (wanted: keyof ServerCounts): number => kinds.filter(kind => kind === wanted).length;
  return {
    free: count('free'),
    claimed: count('claimed'),
    recorded: count('recorded'),
    pending: count('pending'),
    foreign: count('foreign'),
  };
}

export function kindOfServer(fleet: Fleet): (server: Server) => keyof ServerCounts {
  const claimOf = new Map(fleet.claims.map(claim => [claim.metadata.name, claim]));
  const named = new Set(fleet.machines.flatMap(hostsNamedBy));
  const prefixes = poolPrefixes(fleet);
  return ({ id, name }) => {
    const claim = claimOf.get(id);
    if (claim) return claim.spec.machineRef ? 'claimed' : 'recorded';
    if (named.has(id)) return 'claimed';
    if (isPending(name)) return 'pending';
    return prefixes.some(prefix => inPool(name, prefix)) ? 'free' : 'foreign';
  };
}

/** Of every pool that anybody here names. */
export function poolPrefixes({ claims, machines, defaultPoolPrefix }: Fleet): readonly string[] {
  const fromClaims = claims.map(({ spec }) => spec.poolPrefix ?? '');
  const fromMachines = machines.map(({ spec }) => spec.adoptPoolPrefix ?? '');
  return [...new Set([defaultPoolPrefix, ...fromClaims, ...fromMachines])].filter(prefix => prefix !== '');
}

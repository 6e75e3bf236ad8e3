import { type HostClaim, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { KubeSecret, Node } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { HostTaken } from '../../program/testing/pool-macs.ts';

/** A whole fleet at one moment, and who began to change which host so far. */
export interface FleetSeen {
  readonly servers: readonly Pick<Server, 'id' | 'name' | 'state'>[];
  readonly claims: readonly HostClaim[];
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  readonly nodes: readonly Node[];
  /** Bootstrap tokens of ours. */
  readonly tokens: readonly KubeSecret[];
  readonly taken: readonly HostTaken[];
  /** VMs that somebody runs on a host. */
  readonly guests: readonly { readonly running: boolean }[];
}

/** Violations of the invariants that hold at any moment, also right after a process died. */
export const wrongNow = (seen: FleetSeen): string[] => [
  ...lostHosts(seen),
  ...sharedHosts(seen),
  ...twinNodes(seen),
  ...intruders(seen),
  ...guestsDisturbed(seen),
];

/** Violations of the invariants that hold in addition once nothing changes any more. */
export const wrongAtRest = (seen: FleetSeen): string[] => [
  ...hoarders(seen),
  ...abandonedClaims(seen),
  ...abandonedNodes(seen),
  ...tokensLeft(seen),
];

const inPool = (name: string): boolean => name.startsWith(names.vendorNames.poolPrefix);
const isHeld = ({ spec }: HostClaim): boolean => spec.machineRef !== undefined;
const isAside = ({ spec, status }: HostClaim): boolean =>
  spec.quarantine !== undefined || status?.quarantine !== undefined;

/** Every host is in a pool, held or quarantined. No process would find a host that is none of these. */
const lostHosts = ({ servers, claims }: FleetSeen): string[] =>
  servers
    .filter(({ id, name }) => {
      const claim = claims.find(({ metadata }) => metadata.name === id);
      return !inPool(name) && !(claim && (isHeld(claim) || isAside(claim)));
    })
    .map(({ id, name }) => `the host ${id} is called ${name} and nobody’s`);

const sharedHosts = ({ machines }: FleetSeen): string[] =>
  repeated(machines.flatMap(({ spec }) => spec.claimRef?.name ?? [])).map(host => `two machines name the host ${host}`);

const twinNodes = ({ nodes }: FleetSeen): string[] =>
  repeated(nodes.flatMap(({ spec }) => spec?.providerID ?? [])).map(id => `two Nodes carry ${id}`);

const intruders = ({ taken }: FleetSeen): string[] =>
  taken
    .filter(({ forMachine, heldBy }) => forMachine !== heldBy)
    .map(({ host, forMachine, heldBy }) => `${host} was changed for ${forMachine} while ${heldBy ?? 'nobody'} held it`);

const guestsDisturbed = ({ guests }: FleetSeen): string[] =>
  guests.some(({ running }) => !running) ? ['a VM was ended'] : [];

/** Two that died in between may each have taken a host; one of them is let go. */
const hoarders = ({ claims }: FleetSeen): string[] =>
  repeated(claims.flatMap(({ spec }) => spec.machineRef?.uid ?? [])).map(uid => `${uid} holds two hosts`);

const abandonedClaims = ({ claims, machines }: FleetSeen): string[] => {
  const alive = new Set(machines.map(({ metadata }) => metadata.uid));
  return claims
    .filter(({ spec }) => spec.machineRef && !alive.has(spec.machineRef.uid))
    .map(({ metadata, spec }) => `${metadata.name} is held by ${spec.machineRef?.name}, which is gone`);
};

const abandonedNodes = ({ nodes, machines }: FleetSeen): string[] => {
  const alive = new Set(machines.map(({ metadata }) => metadata.name));
  return nodes
    .filter(({ metadata }) => !alive.has(metadata.name))
    .map(({ metadata }) => `the Node ${metadata.name} has no machine`);
};

const tokensLeft = ({ tokens }: FleetSeen): string[] =>
  tokens.map(({ metadata }) => `the token ${metadata.name} is left`);

const repeated = (values: readonly string[]): string[] =>
  [...new Set(values)].filter(value => values.filter(other => other === value).length > 1);

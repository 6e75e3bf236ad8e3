import { type MacHost, names, type ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { KubeSecret, Node } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { LeaseAcquisition } from '../../program/testing/pool-macs.ts';

/** State of a whole fleet at one moment, and all lease acquisitions so far. */
export interface FleetSnapshot {
  readonly servers: readonly Pick<Server, 'id' | 'name' | 'state'>[];
  readonly hosts: readonly MacHost[];
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  readonly nodes: readonly Node[];
  /** Bootstrap tokens of the provider. */
  readonly tokens: readonly KubeSecret[];
  readonly leaseAcquisitions: readonly LeaseAcquisition[];
  /** VMs that a test started on a host. */
  readonly guests: readonly { readonly running: boolean }[];
}

/** Violations of the invariants that hold at any time, also right after a process was killed. */
export const violationsNow = (snapshot: FleetSnapshot): string[] => [
  ...unownedHosts(snapshot),
  ...hostsWithTwoMachines(snapshot),
  ...duplicateProviderIds(snapshot),
  ...changesWithoutClaim(snapshot),
  ...stoppedGuests(snapshot),
];

/** Violations of the additional invariants that hold when no further change is pending. */
export const violationsAtRest = (snapshot: FleetSnapshot): string[] => [
  ...machinesWithTwoHosts(snapshot),
  ...hostsOfDeletedMachines(snapshot),
  ...nodesWithoutMachine(snapshot),
  ...leftoverTokens(snapshot),
];

const inPool = (name: string): boolean => name.startsWith(names.vendorNames.poolPrefix);
const isHeld = ({ spec }: MacHost): boolean => spec.consumerRef !== undefined;
const isQuarantined = ({ spec, status }: MacHost): boolean =>
  spec.quarantine !== undefined || status?.quarantine !== undefined;

/** Every host is in a pool, held or quarantined. No provider would find a host in any other state. */
const unownedHosts = ({ servers, hosts }: FleetSnapshot): string[] =>
  servers
    .filter(({ id, name }) => {
      const host = hosts.find(({ metadata }) => metadata.name === id);
      return !inPool(name) && !(host && (isHeld(host) || isQuarantined(host)));
    })
    .map(({ id, name }) => `host ${id} has the name ${name} and no owner`);

const hostsWithTwoMachines = ({ machines }: FleetSnapshot): string[] =>
  repeated(machines.flatMap(({ spec }) => spec.claimRef?.name ?? [])).map(
    host => `two machines reference the host ${host}`,
  );

const duplicateProviderIds = ({ nodes }: FleetSnapshot): string[] =>
  repeated(nodes.flatMap(({ spec }) => spec?.providerID ?? [])).map(id => `two Nodes have the providerID ${id}`);

const changesWithoutClaim = ({ leaseAcquisitions }: FleetSnapshot): string[] =>
  leaseAcquisitions
    .filter(({ forMachine, heldBy }) => forMachine !== heldBy)
    .map(
      ({ host, forMachine, heldBy }) => `${host} was changed for ${forMachine} while ${heldBy ?? 'no machine'} held it`,
    );

const stoppedGuests = ({ guests }: FleetSnapshot): string[] =>
  guests.some(({ running }) => !running) ? ['a VM was stopped'] : [];

/** Two killed providers may each have claimed a host for one machine. The next provider releases one of them. */
const machinesWithTwoHosts = ({ hosts }: FleetSnapshot): string[] =>
  repeated(hosts.flatMap(({ spec }) => spec.consumerRef?.uid ?? [])).map(uid => `${uid} holds two hosts`);

const hostsOfDeletedMachines = ({ hosts, machines }: FleetSnapshot): string[] => {
  const existing = new Set(machines.map(({ metadata }) => metadata.uid));
  return hosts
    .filter(({ spec }) => spec.consumerRef && !existing.has(spec.consumerRef.uid))
    .map(({ metadata, spec }) => `${metadata.name} is held by the deleted machine ${spec.consumerRef?.name}`);
};

const nodesWithoutMachine = ({ nodes, machines }: FleetSnapshot): string[] => {
  const existing = new Set(machines.map(({ metadata }) => metadata.name));
  return nodes
    .filter(({ metadata }) => !existing.has(metadata.name))
    .map(({ metadata }) => `Node ${metadata.name} has no machine`);
};

const leftoverTokens = ({ tokens }: FleetSnapshot): string[] =>
  tokens.map(({ metadata }) => `bootstrap token ${metadata.name} is left`);

const repeated = (values: readonly string[]): string[] =>
  [...new Set(values)].filter(value => values.filter(other => other === value).length > 1);

import {
  type InfraMachine,
  type MacHost,
  type MacHostStatus,
  macHost,
  names,
  poolOf,
  scalewayAppleSiliconMachine,
} from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { desiredHost } from '../machines/claim-mac-host.ts';
import { type HostClaim, journalOfMachine } from './host-claim.ts';

const { group, kind } = scalewayAppleSiliconMachine.resource;
const { clusterNameLabel } = names.clusterApi;

export interface ClaimContext {
  /** Machine of spec.machineRef with this UID. */
  readonly machine: InfraMachine | undefined;
  readonly defaultPool: string;
  readonly now: number;
}

export type NewMacHost = Pick<MacHost, 'metadata' | 'spec'> & { readonly status: MacHostStatus };

/** MacHost with the hold, the records and the progress of a HostClaim. Undefined if its pool is unknown. */
export function hostFromClaim(
  { metadata, spec, status = {} }: HostClaim,
  { machine, defaultPool, now }: ClaimContext,
): NewMacHost | undefined {
  const pool = spec.poolPrefix || (machine ? poolOf(machine, defaultPool) : defaultPool);
  if (pool === '') return undefined;
  const { machineRef, clusterID, originalName, quarantine, claimEpoch } = spec;
  const host: NewMacHost = {
    metadata: hostMetadata(metadata, machineRef ? { machine } : undefined),
    spec: {
      source: { scaleway: { zone: spec.zone, serverID: metadata.name } },
      pool,
      claimEpoch,
      ...(machineRef ? { consumerRef: { apiGroup: group, kind, ...machineRef } } : {}),
      ...(machineRef && clusterID !== undefined ? { clusterID } : {}),
      ...(originalName === undefined ? {} : { originalName }),
      ...(quarantine ? { quarantine } : {}),
    },
    status: { ...recordsOf(status), ...(machine ? progressOf(machine, metadata.name, now) : {}) },
  };
  if (!machineRef || !machine) return host;
  return { ...host, spec: { ...host.spec, desired: desiredHost(machine, asObject(host)) } };
}

/** Finalizer and Cluster label are for held hosts only. */
function hostMetadata(
  { name, labels, annotations }: HostClaim['metadata'],
  held: { readonly machine: InfraMachine | undefined } | undefined,
): NewMacHost['metadata'] {
  const cluster = labels?.[clusterNameLabel] ?? held?.machine?.metadata.labels?.[clusterNameLabel];
  const heldSince = annotations?.[names.annotations.heldSince];
  return {
    name,
    ...(held ? { finalizers: [names.finalizers.macHost] } : {}),
    ...(held && cluster !== undefined ? { labels: { [clusterNameLabel]: cluster } } : {}),
    ...(heldSince === undefined ? {} : { annotations: { [names.annotations.heldSince]: heldSince } }),
  };
}

const asObject = ({ metadata, spec }: NewMacHost): MacHost =>
  macHost.withDefaults({ apiVersion: macHost.apiVersion, kind: macHost.resource.kind, metadata, spec });

const recordsOf = ({ vendorName, failures, quarantine }: NonNullable<HostClaim['status']>): MacHostStatus => ({
  ...(vendorName ? { vendorName } : {}),
  ...(failures ? { failures } : {}),
  ...(quarantine ? { quarantine } : {}),
});

/** A machine of that version records in an annotation that its host served; the time is in the plan. */
function progressOf(machine: InfraMachine, host: string, now: number): MacHostStatus {
  const journal = journalOfMachine(machine);
  const served = machine.metadata.annotations?.[names.annotations.served] === host;
  return { ...journal, ...(served ? { servedSince: journal.plan?.appliedTime ?? timestamp(now) } : {}) };
}

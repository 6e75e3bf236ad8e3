import { type MacHost, type MacHostStatus, macHost, names } from '@minifleet/api';
import { timestamp } from '@minifleet/clock';
import { memoryId } from '@minifleet/vendors/testing';

export const HELD_SINCE = Date.UTC(2030, 0, 2);

type HeldSpec = Partial<MacHost['spec']>;

/** The host of the server 1, held by the machine fleet/a of the Cluster mac. */
export const heldHost = (spec: HeldSpec = {}, status: MacHostStatus = {}): MacHost =>
  macHost.withDefaults({
    apiVersion: macHost.apiVersion,
    kind: 'MacHost',
    metadata: {
      name: memoryId(1),
      uid: 'uid-of-host',
      labels: { [names.clusterApi.clusterNameLabel]: 'mac' },
      annotations: { [names.annotations.heldSince]: timestamp(HELD_SINCE) },
    },
    spec: {
      source: { scaleway: { zone: 'fr-par-1', serverID: memoryId(1) } },
      pool: 'tuist-pool-',
      claimEpoch: 1,
      clusterID: 'here',
      originalName: 'tuist-pool-1',
      consumerRef: {
        apiGroup: 'infrastructure.cluster.x-k8s.io',
        kind: 'ScalewayAppleSiliconMachine',
        namespace: 'fleet',
        name: 'a',
        uid: '1',
      },
      desired: { nodeName: 'a', providerID: `${names.providerIDScheme}://fr-par-1/${memoryId(1)}` },
      ...spec,
    },
    status,
  });

/** The same host without a consumer. */
export function freeHostObject(spec: HeldSpec = {}, status: MacHostStatus = {}): MacHost {
  const { consumerRef: _consumer, clusterID: _cluster, desired: _desired, ...rest } = heldHost().spec;
  const host = heldHost({}, status);
  return { ...host, spec: { ...rest, ...spec } };
}

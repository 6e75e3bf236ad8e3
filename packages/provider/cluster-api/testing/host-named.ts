import { type Condition, hostReasons, type MacHost, type MacHostStatus, macHost, names } from '@minifleet/api';

interface NamedHost extends Pick<MacHostStatus, 'state' | 'vendorState' | 'plan'> {
  /** Name of the machine that holds it. */
  readonly machine?: string;
  /** True if the machine that holds it no longer exists. */
  readonly orphan?: boolean;
  /** A Mac of the pool `desk` (default: a server of the pool `tuist-pool-`). */
  readonly owned?: boolean;
}

const ORPHAN: Condition = {
  type: 'Claimed',
  status: 'False',
  reason: hostReasons.ConsumerMissing,
  message: '',
  lastTransitionTime: '2030-01-01T00:00:00Z',
};

/** A MacHost with overrides (default: an Available server that no machine holds). */
export function hostNamed(
  name: string,
  { machine, orphan = false, owned = false, ...status }: NamedHost = {},
): MacHost {
  const consumerRef = {
    ...{ apiGroup: names.groups.infrastructure, kind: 'ScalewayAppleSiliconMachine', namespace: 'fleet' },
    ...{ name: machine ?? '', uid: `uid-of-${machine}` },
  };
  return {
    apiVersion: macHost.apiVersion,
    kind: 'MacHost',
    metadata: { name },
    spec: {
      source: owned
        ? { owned: { address: '192.0.2.11', port: 22, user: 'admin' } }
        : { scaleway: { zone: 'fr-par-1', serverID: name } },
      pool: owned ? 'desk' : 'tuist-pool-',
      claimEpoch: 1,
      ...(machine === undefined ? {} : { consumerRef }),
    },
    status: { ...status, conditions: orphan ? [ORPHAN] : [] },
  };
}

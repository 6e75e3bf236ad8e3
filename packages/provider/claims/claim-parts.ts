import type { HostClaim } from '@minifleet/api';
import type { Clock } from '@minifleet/clock';
import type { Cache, Client, EventRecorder, Log } from '@minifleet/kube';
import type { PoolSettings } from './host-names.ts';
import type { Roster } from './roster.ts';
import type { Vendors } from './vendors.ts';

/** What the claims are given. */
export interface ClaimParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly vendors: Vendors;
  readonly settings: PoolSettings;
  /** UID of the namespace kube-system. */
  readonly clusterId: string;
  /** Finds claims; it may be behind, so whatever follows from it is read afresh. */
  readonly cache: Pick<Cache<HostClaim>, 'get' | 'list'>;
  readonly roster: Roster;
  /** Machine UID to the claim it took in this process: the cache may not show it yet, and a second host must not be taken. */
  readonly taken: Map<string, string>;
}

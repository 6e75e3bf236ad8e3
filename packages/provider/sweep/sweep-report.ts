/** What one sweep saw, for metrics and people. Servers are counted once each, claims once each. */
export interface SweepReport {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly servers: ServerCounts;
  readonly claims: ClaimCounts;
  /** Every server that was listed, one by one. */
  readonly hosts: readonly SeenHost[];
  /** Hosts that went back to their pool, and claims that were let go with nothing done to the host, in this sweep. */
  readonly returned: number;
  readonly letGo: number;
  /** What ended the sweep before it was through, in words. */
  readonly cutShort?: string;
  /** Zones that could not be listed: nothing is said of their hosts. */
  readonly unseenZones: readonly string[];
}

export interface SeenHost {
  readonly zone: string;
  readonly id: string;
  /** Of the pool it is in or came from; empty when nobody knows one. */
  readonly prefix: string;
  /** `busy` and `broken` are those of a pool that the vendor says are so; one that is held is `claimed` whatever else it is. */
  readonly state: 'free' | 'claimed' | 'quarantined' | 'busy' | 'broken' | 'foreign';
  /** Milliseconds since 1970. */
  readonly orderedAt?: number;
  /** Before this the vendor takes it back from nobody. */
  readonly returnableAt?: number;
}

export interface ServerCounts {
  /** In a pool, without a claim. */
  readonly free: number;
  /** With a claim that is held, here or in another cluster, or named by a machine of the older system. */
  readonly claimed: number;
  /** With a claim that nobody holds: put aside, or free with a record. */
  readonly recorded: number;
  /** In the middle of a claim by the older system. */
  readonly pending: number;
  /** Neither in a pool nor claimed. Never touched. */
  readonly foreign: number;
}

export interface ClaimCounts {
  /** Held by a machine that exists. */
  readonly held: number;
  /** Held by a machine that is gone, to be returned. */
  readonly orphaned: number;
  /** The same, with a Cluster that is gone, too, or is paused, or younger than the claim: it may have been moved, so a person decides. */
  readonly leftBehind: number;
  /** Held by another cluster. */
  readonly elsewhere: number;
  /** Held, and the vendor does not know the host. */
  readonly vanished: number;
  readonly unheld: number;
}

import type { HostClaim, HostFailure, ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Server } from '@minifleet/vendors';

/**
 * Who holds which host. A host is taken by writing its HostClaim, whose name is the server id: the API server lets one
 * machine win. The name at the vendor mirrors it for people and other clusters and is never the lock.
 */
export interface Claims {
  /** Takes a free host for the machine by its claim alone: nothing happens at the vendor. */
  take(samm: ScalewayAppleSiliconMachine): Promise<Taken>;
  /**
   * The claim this machine holds already, whatever its spec says: a crash came in between, clusterctl move gave the machine another
   * UID (then it is taken over, in the next epoch), or the object is an older system's. Asked in every pass, before `take`; no request
   * while both agree. What it returns goes into spec.claimRef before anything else. Throws CLAIM_CONFLICT or VENDOR_SERVER_UNKNOWN
   * for an object that names a host it cannot have.
   */
  rediscover(samm: ScalewayAppleSiliconMachine): Promise<HostClaim | undefined>;
  /** What the claim and the vendor say now about this machine and its host. Reads only. */
  standing(samm: ScalewayAppleSiliconMachine, claim: HostClaim | undefined): Promise<Standing>;
  /** Makes the vendor's name show the claim. */
  mirror(samm: ScalewayAppleSiliconMachine, claim: HostClaim): Promise<Standing>;
  /** Asked right before anything is done to the host: throws CLAIM_LOST unless the claim, read afresh, is still this machine's. */
  fence(samm: ScalewayAppleSiliconMachine): Promise<void>;
  /** Writes down what went wrong on this host, whoever holds it. */
  recordFailure(name: string, failure: Pick<HostFailure, 'step' | 'reason' | 'message'>): Promise<void>;
  /** A clean bootstrap: the record of failures starts anew. */
  recordSuccess(name: string): Promise<void>;
  /** Gives the host back. Safe to repeat from anywhere; the claim is let go last. A host that is not this machine's is not touched. */
  release(samm: ScalewayAppleSiliconMachine, claim: HostClaim, how: ReleaseHow): Promise<Released>;
}

export type Taken =
  | { readonly kind: 'taken'; readonly claim: HostClaim; readonly server: Server }
  /** `why` counts what there is: free, of another type, quarantined, held. */
  | { readonly kind: 'none'; readonly reason: 'NoAdoptPoolPrefix' | 'NoHostAvailable'; readonly why: string };

export type Standing =
  | { readonly kind: 'held'; readonly claim: HostClaim; readonly server: Server; readonly mirrored: boolean }
  | {
      readonly kind: 'not held';
      readonly reason: 'ClaimConflict' | 'ClaimLost' | 'HostVanished';
      /** Names the other holder, or the name found at the vendor. */
      readonly why: string;
    };

export interface ReleaseHow {
  /** `Return`: wiped and back in the pool. `Retain`: left as it is, under a name no pool has, with a quarantine that a person ends. `Quarantine`: as Return, and put aside with its record. */
  readonly how: 'Return' | 'Retain' | 'Quarantine';
  /** Image to install, from spec.os. */
  readonly os: string;
}

export type Released =
  | { readonly kind: 'released'; readonly words: string }
  /** The vendor has not yet begun; the claim holds. */
  | { readonly kind: 'waiting'; readonly why: string };

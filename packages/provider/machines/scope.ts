import type { HostClaim, ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Node } from '@minifleet/kube';
import type { Server } from '@minifleet/vendors';
import type { Cluster, Machine } from '../cluster-api/kinds.ts';
import type { FleetSshKey, HostAccess } from '../credentials/credentials.ts';
import type { JoinMaterial } from '../join/join.ts';

/** What one pass over a machine knows. Everything but `samm` was read before the first phase and is frozen. */
export interface MachineScope {
  /** A copy that phases change (spec.claimRef, spec.providerID, status); one patch at the end sends the difference. */
  readonly samm: ScalewayAppleSiliconMachine;
  /** Core's Machine; undefined until core has made it the owner, and when it was force-deleted. */
  readonly machine: Machine | undefined;
  readonly cluster: Cluster | undefined;
  /** The claim that spec.claimRef names, whoever holds it now. */
  readonly claim: HostClaim | undefined;
  /** The Node of the machine's name, whosever it is. */
  readonly node: Node | undefined;
  /** Names of other Nodes that carry this machine's providerID: core binds neither while there is one. */
  readonly twins?: readonly string[];
  /** Filled on the way. */
  readonly found: Found;
}

/** What earlier phases found out for later ones. Set by the phase named; a later phase may rely on it. */
export interface Found {
  /** HostClaimed: the host as the vendor showed it in this pass. */
  server?: Server;
  /** CredentialsReady. */
  fleetKey?: FleetSshKey;
  /** CredentialsReady. */
  access?: HostAccess;
  /** JoinMaterialReady; absent once the host has its own certificate and needs none. */
  join?: JoinMaterial;
}

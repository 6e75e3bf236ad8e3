import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { Secret } from '@minifleet/secret';
import type { Cluster } from '../cluster-api/kinds.ts';

/** How a host becomes a Node: with a token of its own, good for minutes and for asking for a certificate alone. */
export interface Join {
  /** Material for this machine: the same while its token lives long enough for a bootstrap, else a new one. */
  material(samm: ScalewayAppleSiliconMachine, cluster: Cluster): Promise<JoinMaterial>;
  /** Removes the machine's token; none is fine. */
  withdraw(samm: ScalewayAppleSiliconMachine): Promise<void>;
}

export interface JoinMaterial {
  readonly kubeconfig: Secret;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

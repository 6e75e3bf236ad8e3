import type { ScalewayAppleSiliconMachine } from '@minifleet/api';
import type { CertificateSigningRequest } from '@minifleet/kube';
import type { Secret } from '@minifleet/secret';
import type { Cluster } from '../cluster-api/kinds.ts';

/** How a host becomes a Node: with a token of its own, good for minutes and for asking for a certificate alone. */
export interface Join {
  /** Material for this machine: the same token as long as it lives, and it lives on while the machine is looked after. */
  material(samm: ScalewayAppleSiliconMachine, cluster: Cluster): Promise<JoinMaterial>;
  /** Removes the machine's token; none is fine. */
  withdraw(samm: ScalewayAppleSiliconMachine): Promise<void>;
  /** The serving certificates that the machine's Node asked for, as the cache has them; the cluster removes each after an hour. */
  servingRequests(samm: ScalewayAppleSiliconMachine): readonly CertificateSigningRequest[];
}

export interface JoinMaterial {
  readonly kubeconfig: Secret;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

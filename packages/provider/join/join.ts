import type { InfraMachine } from '@minifleet/api';
import type { CertificateSigningRequest } from '@minifleet/kube';
import type { Secret } from '@minifleet/secret';
import type { Cluster } from '../cluster-api/kinds.ts';

/** Join credentials: each host gets its own short-lived token, which only allows a certificate request. */
export interface Join {
  /** Returns the join credentials. The token stays the same while it is valid, and is extended while the machine is reconciled. */
  material(machine: InfraMachine, cluster: Cluster): Promise<JoinMaterial>;
  /** Deletes the token of the machine; a missing token is fine. */
  withdraw(machine: InfraMachine): Promise<void>;
  /** Requests for serving certificates by the Node of the machine, from the cache; Kubernetes deletes them after an hour. */
  servingRequests(machine: InfraMachine): readonly CertificateSigningRequest[];
}

export interface JoinMaterial {
  readonly kubeconfig: Secret;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

import type { HostNetwork } from '@minifleet/local-cluster';

/** The cluster that `up` lives in, and where its files are. */
export interface Home {
  /** `Kubernetes v1.36.4 with Cluster API v1.14.2`. */
  readonly what: string;
  /** An administrator's. */
  readonly kubeconfig: string;
  /** Where the Macs and our programs reach the API server. */
  readonly server: string;
  /** PEM; undefined where the server's certificate is one everybody trusts. */
  readonly certificateAuthority: string | undefined;
  /** Everything of ours lies in it; it goes when we do, also when we are killed. */
  readonly directory: string;
  /** Addresses of their own for the Macs; undefined: they are on loopback. */
  readonly network: HostNetwork | undefined;
  /** Whether the cluster stays when we go: then what we made in it must go first. */
  readonly stays: boolean;
  close(): Promise<void>;
}

export interface UpOptions {
  /** Macs in the fleets. */
  readonly hosts: number;
  readonly seed: string;
  readonly speed: number;
  /** Kubeconfig of an existing cluster (default: start one). */
  readonly kubeconfig?: string;
}

/** Macs that stay in the pool, for scaling up and for converging a host by hand. */
export const SPARE_HOSTS = 1;

export interface UpOptions {
  /** Macs in the fleets. */
  readonly hosts: number;
  readonly seed: string;
  readonly speed: number;
  /** Of a cluster to live in. */
  readonly kubeconfig?: string;
}

/** One Mac stays in the pool: to scale to, and to make a host by hand. */
export const SPARE = 1;

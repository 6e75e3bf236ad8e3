/** Figures of the same fleet in the older system, computed from its documented behaviour. */
export interface OlderSystemFigures {
  /** Time until the last host is bootstrapped. It does not wait for Nodes. */
  readonly seconds: number;
  /** Total of all machines. */
  readonly vendorLists: number;
}

/** A reconcile occupies its worker from the claim to the end of the bootstrap. */
const WORKERS = 4;

/** Assumes the measured duration of a host job, although the older system sends everything twice to a new host. */
export const modelOlderSystem = (machines: number, jobSeconds: number): OlderSystemFigures => ({
  seconds: Math.ceil(machines / WORKERS) * jobSeconds,
  // One per claim; claims are made one after the other.
  vendorLists: machines,
});

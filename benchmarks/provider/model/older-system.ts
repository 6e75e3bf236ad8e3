/** What the same fleet would take as the older system is documented to work; nothing of it is run here. */
export interface OlderSystemFigures {
  /** Until the last host is bootstrapped. It does not wait for Nodes. */
  readonly seconds: number;
  /** Of all machines together. */
  readonly vendorLists: number;
}

/** A pass holds its worker from the claim to the end of the bootstrap. */
const WORKERS = 4;

/** One run on a host is taken to be as long as ours was measured, though it sends everything twice to a new host. */
export const modelOlderSystem = (machines: number, jobSeconds: number): OlderSystemFigures => ({
  seconds: Math.ceil(machines / WORKERS) * jobSeconds,
  // One for each claim, which are made one after the other.
  vendorLists: machines,
});

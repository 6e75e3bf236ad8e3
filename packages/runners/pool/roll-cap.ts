/** How many runners may be missing at once while another image is rolled out: a share of the pool, and at least one. */
export const rollCap = (replicas: number, percent: number): number =>
  Math.max(1, Math.floor((Math.max(0, percent) * Math.max(0, replicas)) / 100));

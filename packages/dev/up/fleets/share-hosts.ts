/** The fleets of docs/examples/three-fleets.yaml. */
export const FLEETS = ['macos', 'runners', 'builders'] as const;
export type FleetName = (typeof FLEETS)[number];

/** One per fleet. */
export const MIN_HOSTS = FLEETS.length;

/** Splits the Macs between the fleets: of nine, two build images, three run any Pod, and four run jobs. */
export function shareHosts(hosts: number): Readonly<Record<FleetName, number>> {
  const builders = Math.max(1, Math.floor((hosts * 2) / 9));
  const macos = Math.max(1, Math.floor((hosts - builders) * 0.45));
  return { macos, runners: hosts - builders - macos, builders };
}

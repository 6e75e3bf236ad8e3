/** Addresses of the private network of the test, all of the range for documentation (RFC 5737). */
const NETWORK = '192.0.2';

const range = (first: number): readonly string[] => [0, 1, 2].map(index => `${NETWORK}.${first + index}`);

export const ADDRESSES = {
  /** API server, for Pods and Macs. */
  apiServer: `${NETWORK}.1`,
  linuxNode: `${NETWORK}.2`,
  /** Simulated vendor, GitHub and registry. */
  services: `${NETWORK}.3`,
  ownedMacs: range(11),
  rentedMacs: range(21),
} as const;

export const ALL_ADDRESSES = Object.values(ADDRESSES)
  .flat()
  .map(address => `${address}/24`);

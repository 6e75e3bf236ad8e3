import type { WorldAddresses } from '../macs/calls.ts';

/** Calls to the process of the vendor. */
export interface VendorCalls {
  addresses(): Promise<Omit<WorldAddresses, 'sshKeyFile'>>;
  /** Adds servers to the pool, delivered and without a Mac behind them. */
  addServers(count: number): Promise<void>;
  close(): Promise<void>;
}

import type { World } from '@minifleet/world';

/** Access of the provider to the world, serializable. */
export interface WorldAddresses extends Pick<World, 'sshAddressFile' | 'sshKeyFile'> {
  readonly vendor: ReturnType<World['scaleway']['apiFor']>;
  /** Folder that is removed with the process, even after a failure. */
  readonly directory: string;
}

/** Calls to the process of the Macs. */
export interface MacsCalls {
  addresses(): Promise<WorldAddresses>;
  /** Requests that the world does not model, and agents that could not join. They make the figures invalid. */
  problems(): Promise<readonly string[]>;
  /** CPU time of this process in milliseconds. */
  processorTime(): Promise<number>;
  close(): Promise<void>;
}

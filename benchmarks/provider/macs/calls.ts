import type { World } from '@minifleet/world';

/** What the provider is told of the world; only what can be sent between processes. */
export interface WorldAddresses extends Pick<World, 'sshAddressFile' | 'sshKeyFile'> {
  readonly vendor: ReturnType<World['scaleway']['apiFor']>;
  /** For whatever must be gone when the benchmark is, however it ended. */
  readonly directory: string;
}

/** What the benchmark may ask of the process the Macs run in. */
export interface MacsCalls {
  addresses(): Promise<WorldAddresses>;
  /** What was asked of the Macs and is not modelled, and agents that could not join: figures that rest on them mean nothing. */
  problems(): Promise<readonly string[]>;
  /** Of this process, in milliseconds. */
  processorTime(): Promise<number>;
  close(): Promise<void>;
}
